raise RuntimeError("the probe must not import the engine")
