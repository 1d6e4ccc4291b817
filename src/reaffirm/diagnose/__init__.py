"""Stages that a start has reached, and the first error of all ranks: pure, lines in, findings out."""
