"""Chromium and the sites that it looks at. Without it all is skipped by name; in CI that is an error."""

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FOREIGN = "site_name: lumenfield\ndocs_dir: docs\nplugins: [search, reaffirm]\n"


def _chromium() -> str:
    return next((found for name in _NAMES if (found := shutil.which(name))), "")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The Chromium of the system."""
    path, reason = _chromium(), ""
    if find_spec("playwright") is None:
        reason = "Playwright is not installed (pip install --group browser)"
    elif not path:
        reason = "no Chromium on this machine (Debian: apt-get install chromium)"
    if reason:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project's own site, built."""
    from sites import build

    return build(_ROOT, tmp_path_factory.mktemp("own") / "site")


@pytest.fixture(scope="session")
def own_site(browser: Any, own_folder: Path) -> Iterator[str]:
    """The address of this project's own site."""
    from sites import served

    with served(own_folder) as origin:
        yield origin


@pytest.fixture(scope="session")
def foreign_folder(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a repository that knows nothing of us, with three lines of settings, and some diagrams."""
    from sites import build

    root = tmp_path_factory.mktemp("foreign") / "lumenfield"
    shutil.copytree(_ROOT / "tests/foreign/lumenfield", root)
    shutil.copytree(_HERE / "specimens/beside-foreign", root, dirs_exist_ok=True)
    (root / "mkdocs.yml").write_text(_FOREIGN, encoding="utf-8")
    return build(root, root.parent / "site")


@pytest.fixture(scope="session")
def foreign_site(foreign_folder: Path) -> Iterator[str]:
    """Its address."""
    from sites import served

    with served(foreign_folder) as origin:
        yield origin


@pytest.fixture(scope="session")
def hostile_folder(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a repository whose every field tries to run something in the reader's browser."""
    from sites import build

    from hostile import grown

    root = grown(_HERE / "specimens/hostile", tmp_path_factory.mktemp("hostile") / "project")
    return build(root, root.parent / "site")


@pytest.fixture(scope="session")
def hostile_site(hostile_folder: Path) -> Iterator[str]:
    """Its address."""
    from sites import served

    with served(hostile_folder) as origin:
        yield origin
