"""What pytest needs to know about this repository, tests and published runs alike."""

import os

# A runner says by these where the files of *its* run go. Published runs and tests have folders of their own.
for _name in ("REAFFIRM_RUNBOOK", "REAFFIRM_RUN_DIR", "REAFFIRM_CALLED_FROM"):
    os.environ.pop(_name, None)
