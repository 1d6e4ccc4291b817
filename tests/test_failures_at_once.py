"""What fails is named when it fails, not when every other test has been run."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_a_failure_is_named_before_the_next_test(tmp_path: Path) -> None:
    """Somebody who runs scripts/check would see an F, and wait ten minutes for a name."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "test_these.py").write_text(
        "import sys\n\ndef test_first():\n    assert 1 == 2, 'a reason'\n\n"
        "def test_second():\n    sys.__stdout__.write('the second runs')\n"
    )
    argv = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "."]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    first, _, rest = done.stdout.partition("the second runs")
    assert "\nFAILED test_these.py::test_first - AssertionError: a reason\n" in first
    assert rest
