"""Transports to nodes, recording and replay, and the run context that steps write to."""
