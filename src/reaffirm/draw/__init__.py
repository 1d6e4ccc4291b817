"""Model in, SVG and text out. Pure."""
