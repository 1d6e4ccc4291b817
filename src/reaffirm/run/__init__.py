"""Runs a runbook: the door into papermill, typed parameters, publishing."""
