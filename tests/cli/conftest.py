"""The loopback sshd of the contract suite serves the tests of commands too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "contract"))
