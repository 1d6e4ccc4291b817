"""Reads engine logs: stages, first errors. Pure."""
