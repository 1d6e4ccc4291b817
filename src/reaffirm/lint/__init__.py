"""Findings about files."""
