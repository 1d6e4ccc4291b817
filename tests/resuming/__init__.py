"""Runs that are taken up again, run in part, or only shown."""
