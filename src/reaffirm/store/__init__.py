"""Finds the folders and reads and writes the files: the only layer that knows their names."""
