"""What pytest needs to know about this repository, tests and published runs alike."""

import atexit
import os
import shutil
import tempfile

import pytest

# A runner says by these where the files of *its* run go. Published runs and tests have folders of their own.
for _name in ("RUNBOOK", "RUN_DIR", "CALLED_FROM", "RESUME", "DRY_RUN"):
    os.environ.pop(f"REAFFIRM_{_name}", None)

# Tests change this machine only in folders of their own: its real lock is left to real runs.
if "NODE_LOCK_FOLDER" not in os.environ:
    os.environ["NODE_LOCK_FOLDER"] = _folder = tempfile.mkdtemp(prefix="reaffirm-locks-")
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)


class _Told:
    """Names each failure when it happens: a run of all tests takes minutes, and its summary comes last."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the name of what failed, and the first line of why."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is None or not report.failed:
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        why = crash.message.partition("\n")[0] if crash else ""
        terminal.write_line(f"\nFAILED {report.nodeid}" + (f" - {why}" if why else ""), red=True)


def pytest_configure(config: pytest.Config) -> None:
    """Let failures be told at once."""
    config.pluginmanager.register(_Told(config), "failures-at-once")
