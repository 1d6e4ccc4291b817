"""The steps of runbooks: preflight, cleanup, probe_image, launch, verify."""
