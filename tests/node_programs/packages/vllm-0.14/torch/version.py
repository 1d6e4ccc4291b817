__all__ = ["__version__"]
__version__ = "2.9.1+cpu"
cuda: str | None = None
