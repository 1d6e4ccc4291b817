"""Who may use the files that `scripts/lab up` makes, in a folder in place of /var/lib; no host is started."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

LAB = Path(__file__).parents[1] / "scripts" / "lab.d"
NOBODY = 65534
# The modules of the lab have everyday names, so they are loaded in a process of their own.
KEYS = f"""
import pathlib, sys
sys.path.insert(0, {str(LAB)!r})
import places
places.STATE = pathlib.Path(sys.argv[1])
places.SSH = places.STATE / "ssh"
import ssh
print(ssh.keys())
"""


def test_the_page_names_every_package() -> None:
    """Somebody would look for what was installed on their machine, and find half of it."""
    show = f"import sys; sys.path.insert(0, {str(LAB)!r}); import packages; print(*packages.NEEDED.values())"
    argv = [sys.executable, "-c", show]
    needed = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    page = (LAB.parents[1] / "docs" / "how-to" / "lab.md").read_text(encoding="utf-8")
    listed = page.partition("installs these Debian packages")[2].partition("Its first line")[0]
    assert [name for name in (*needed, "python3-pip") if f"`{name}`" not in listed] == []


@pytest.fixture
def state() -> Iterator[Path]:
    """A folder that everybody may enter, as /var/lib/reaffirm-lab; pytest's own are private."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not there")
    folder = Path(tempfile.mkdtemp(prefix="reaffirm-lab-files-"))
    yield folder
    shutil.rmtree(folder)


def keys(state: Path, **environment: str) -> str:
    """Make the keys as `up` does; its environment is that of `sudo` or of root."""
    env = {name: value for name, value in os.environ.items() if name != "SUDO_UID"} | environment
    argv = [sys.executable, "-c", KEYS, str(state)]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def mode(path: Path) -> int:
    """The permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_who_called_sudo_may_connect(state: Path) -> None:
    """`sudo scripts/lab up`, then papermill as oneself: Permission denied on the ssh config of the lab."""
    user = NOBODY if os.geteuid() == 0 else os.getuid()
    keys(state)
    ssh = state / "ssh"
    assert (mode(ssh), mode(ssh / "id_ed25519")) == (0o700, 0o600), "root alone, where root called it"
    for _ in range(2):  # `up` may be called again at any time
        assert f"the client's is given to user {user}" in keys(state, SUDO_UID=str(user))
    assert (mode(state), mode(ssh)) == (0o755, 0o755)
    assert {name: mode(ssh / name) for name in ("config", "known_hosts", "id_ed25519", "host_spark-1")} == {
        "config": 0o644,
        "known_hosts": 0o644,
        "id_ed25519": 0o600,
        "host_spark-1": 0o600,
    }
    assert (ssh / "id_ed25519").stat().st_uid == user
    others = {path.name for path in (ssh, *ssh.iterdir()) if path.stat().st_uid != os.geteuid()}
    assert others == ({"id_ed25519"} if os.geteuid() == 0 else set()), "what root writes stays root's"
    keys(state)
    assert (ssh / "id_ed25519").stat().st_uid == user, "root takes nothing back"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_what_somebody_else_may_read(state: Path) -> None:
    """The user could not connect after all, or could take the place of a host."""
    keys(state, SUDO_UID=str(NOBODY))
    may = {}
    for path in sorted((state / "ssh").iterdir()):
        cat = ["cat", str(path)]
        may[path.name] = subprocess.run(cat, user=NOBODY, capture_output=True, check=False).returncode == 0
    assert [name for name, can in may.items() if not can] == ["host_spark-1", "host_spark-2"]


def test_root_that_called_itself_by_sudo_is_root(state: Path) -> None:
    """`sudo` of root would open the folder of the keys to everybody for nothing."""
    assert "given to" not in keys(state, SUDO_UID="0")
    assert mode(state / "ssh") == 0o700
