raise RuntimeError("the probe must not import torch")
