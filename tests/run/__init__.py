"""Runbooks through papermill."""
