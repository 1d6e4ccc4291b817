"""Verdicts: claims held against evidence. Pure: no files, no clock."""
