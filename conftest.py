"""What pytest needs to know about this repository, tests and published runs alike."""

import os

# A runner says by these where the files of *its* run go. Published runs and tests have folders of their own.
for _name in ("RUNBOOK", "RUN_DIR", "CALLED_FROM", "RESUME", "DRY_RUN"):
    os.environ.pop(f"REAFFIRM_{_name}", None)
