"""Who may use the files that `scripts/lab up` makes, in a folder in place of /var/lib; no host is started."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
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


def lab(code: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python that may import the modules of the lab."""
    ours = ("VIRTUAL_ENV", "PIP_", "REAFFIRM_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)} | environment
    argv = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(LAB)!r})\n{code}", *words]
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)


# Nothing of these is done: whatever `up` would do first is Ctrl-C.
STOPPED = """
import contextlib, orders
def stop(*_):
    raise KeyboardInterrupt
orders.packages.root = orders.packages.permitted = lambda: None
orders.alone = contextlib.nullcontext
orders.packages.install = orders.hosts.stop = orders.status.look = stop
sys.exit(orders.main(sys.argv[1:]))
"""


def test_ctrl_c_says_where_it_was_and_what_now() -> None:
    """Six minutes into `up` somebody stops it, sees a traceback, and does not dare to call it again."""
    up = lab(STOPPED, "up")
    assert up.returncode == 130
    assert re.fullmatch(r"packages +INTERRUPTED +\d+\.\d s\n", up.stdout)
    assert up.stderr == (
        "scripts/lab: interrupted in stage 'packages'; run `scripts/lab up` again, it goes on from there, "
        "or `scripts/lab down`\n"
    )
    down = lab(STOPPED, "down")
    assert (down.returncode, down.stderr) == (
        130,
        "scripts/lab: interrupted in stage 'host spark-1'; run `scripts/lab down` again\n",
    )
    status = lab(STOPPED, "status")
    assert (status.returncode, status.stderr) == (
        130,
        "scripts/lab: interrupted; run `scripts/lab status` again\n",
    )


def test_what_was_mounted_is_no_part_of_what_is_removed(tmp_path: Path) -> None:
    """Ctrl-C in debootstrap leaves /proc mounted; the next `up` would find its folder in the way."""
    code = """
import pathlib, images
sent = []
images.must = lambda words: sent.append([str(word) for word in words])
stage = pathlib.Path(sys.argv[1])
mounts = stage.parent / "mounts"
places = ("/proc", f"{stage}/proc", f"{stage}/proc/x")
mounts.write_text("".join(f"proc {place} proc rw 0 0\\n" for place in places))
real = pathlib.Path
images.Path = lambda *parts: mounts if parts == ("/proc/self/mounts",) else real(*parts)
images._clear(stage)
print(sent)
"""
    stage = tmp_path / "stage"
    (stage / "usr").mkdir(parents=True)
    done = lab(code, str(stage))
    wanted = [["umount", "--lazy", f"{stage}/proc/x"], ["umount", "--lazy", f"{stage}/proc"]]
    assert done.stdout == f"{wanted}\n", done.stderr
    assert not stage.exists()


@pytest.mark.parametrize("active", ["", "/somewhere"])
def test_the_next_command_is_one_that_is_there(active: str, tmp_path: Path) -> None:
    """`papermill` is not found where the README's environment is not active, and sudo makes it inactive."""
    code = "import pathlib, orders\norders.RECIPES = pathlib.Path(sys.argv[1])\nprint(orders.next_command())"
    environment = {"VIRTUAL_ENV": active} if active else {}
    recipes = tmp_path / "scripts" / "lab.d"
    plain = "papermill runbooks/pivot_to_vllm.py -p nodes lab\n"
    assert lab(code, str(recipes), **environment).stdout == plain
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "papermill").touch()
    assert lab(code, str(recipes), **environment).stdout == (plain if active else f".venv/bin/{plain}")


def test_the_state_is_readable() -> None:
    """`addresses-missingenP7s7 …` is no word, and nobody said what to do about it."""
    code = """
import status
status.look = lambda host: {
    "name": host.name, "role": host.role, "init": None, "sshd": False, "marker": None, "up": False,
    "addresses": {"lo": "127.0.0.1/8"}, "addresses-missing": ["enP7s7 10.77.1.12/24", "mgmt0 192.0.2.12/24"],
    "images": [], "images-missing": ["sglang:lab"], "containers": [],
}
sys.exit(status.show(as_json=False))
"""
    done = lab(code)
    assert done.returncode == 1
    head = done.stdout.partition("spark-2")[0].splitlines()
    assert head == [
        "spark-1 (head): NOT UP",
        "  init               no",
        "  sshd               no",
        "  marker             no",
        "  address            127.0.0.1/8 on lo",
        "  addresses-missing  enP7s7 10.77.1.12/24  mgmt0 192.0.2.12/24",
        "  images-missing     sglang:lab",
    ]
    assert done.stdout.splitlines()[-1] == "next: sudo scripts/lab up"


def index(folder: Path, *versions: str) -> str:
    """Make a package index with wheels of torch that hold nothing but their name; return its address."""
    project = folder / "torch"
    project.mkdir(parents=True)
    links = []
    for version in versions:
        name, about = f"torch-{version}-py3-none-any.whl", f"torch-{version}.dist-info"
        with zipfile.ZipFile(project / name, "w") as wheel:
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
        links.append(f'<a href="{name.replace("+", "%2B")}">{name}</a>')
    (project / "index.html").write_text("<!DOCTYPE html>" + "\n".join(links), encoding="utf-8")
    return folder.as_uri()


def test_an_index_beside_the_usual_one_leads_to_the_cpu_build(tmp_path: Path) -> None:
    """The way that the page names would end in `torch-cpu` again."""
    page = (LAB.parents[1] / "docs" / "how-to" / "lab.md").read_text(encoding="utf-8")
    assert 'REAFFIRM_LAB_PIP_ARGS="--extra-index-url $CPU_INDEX"' in page
    code = "import wheels\nprint(wheels.torch_build())"
    [wanted] = [line for line in (LAB / "images/torch.txt").read_text().splitlines() if "torch==" in line]
    version = wanted.removeprefix("torch==")
    both = {
        "PIP_INDEX_URL": index(tmp_path / "usual", version),
        "REAFFIRM_LAB_CACHE": str(tmp_path / "cache"),
        "PIP_CONFIG_FILE": os.devnull,
    }
    assert f"torch-cpu: pip would fetch torch {version}, a CUDA build" in lab(code, **both).stderr
    both["REAFFIRM_LAB_PIP_ARGS"] = f"--extra-index-url {index(tmp_path / 'cpu', f'{version}+cpu')}"
    done = lab(code, **both)
    assert done.stdout == f"{version}+cpu\n", done.stderr
