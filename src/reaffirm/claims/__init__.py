"""Expectations and verdicts. Pure."""
