"""Model in, SVG, text and HTML out. Pure: no files, no clock, all text escaped."""
