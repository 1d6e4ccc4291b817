"""Commands, and the one place where errors become exit codes."""
