"""Reads records of every dialect. Each module knows one thing: a language, a field, a place to look."""
