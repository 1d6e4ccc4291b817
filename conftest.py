"""What pytest needs to know about this repository, tests and published runs alike."""

import atexit
import os
import shutil
import tempfile

# A runner says by these where the files of *its* run go. Published runs and tests have folders of their own.
for _name in ("RUNBOOK", "RUN_DIR", "CALLED_FROM", "RESUME", "DRY_RUN"):
    os.environ.pop(f"REAFFIRM_{_name}", None)

# Tests change this machine only in folders of their own: its real lock is left to real runs.
if "NODE_LOCK_FOLDER" not in os.environ:
    os.environ["NODE_LOCK_FOLDER"] = _folder = tempfile.mkdtemp(prefix="reaffirm-locks-")
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
