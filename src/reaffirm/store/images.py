"""Reads the pages of ``docs/container-images``; every error has ``path:line``."""

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any, TypeVar

from packaging.version import InvalidVersion, Version

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.model.image import ContainerImage, Registry, Support
from reaffirm.model.node import Engine
from reaffirm.store.frontmatter import Page, read_page

#: What names an image in a machine file and in a runbook.
_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*\Z")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")
_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLATFORM = re.compile(r"[a-z]+/[a-z0-9]+(?:/v[0-9]+)?\Z")

_KEYS = (
    *("name", "reference", "engine", "engine-version", "platform", "status", "source"),
    *("python", "torch-version", "transformers-version", "registry", "digest", "support", "get-from"),
)
_REGISTRY_KEYS = ("names", "count", "absent")
_HINT = "docs/container-images/README.md tells what each key means"

_Word = TypeVar("_Word", bound=StrEnum)


def read_images(folder: Path) -> dict[str, ContainerImage]:
    """Read every page of the folder but ``README.md``, sorted by name.

    Raises:
        DocumentError: a page cannot be read or is wrong, or two pages have one name.
    """
    images: dict[str, ContainerImage] = {}
    for path in sorted(folder.glob("*.md")):
        if path.name in ("README.md", "index.md"):
            continue
        state = path.stat()
        image = _unchanged(path, state.st_mtime_ns, state.st_size)
        if image.name in images:
            msg = f"{path}:1: the name {image.name!r} is already that of {images[image.name].path}"
            raise DocumentError(msg, hint="give each page a name of its own")
        images[image.name] = image
    return images


@lru_cache(maxsize=256)
def _unchanged(path: Path, _mtime_ns: int, _size: int) -> ContainerImage:
    """Read a page once for as long as it stays the same: every step that names an image asks for all."""
    return read_image(path)


def read_image(path: Path, *, shown: str = "") -> ContainerImage:
    """Read one page.

    Raises:
        DocumentError: it cannot be read, has an unknown key, or a value that cannot be meant.
    """
    page = read_page(path, shown=shown)
    for key, known in _unknown_keys(page):
        raise _wrong(page, key, known)
    values = {field: read(page) for field, read in _FIELDS.items()}
    return ContainerImage(**values, notes=page.body.strip(), path=page.path)


def image_findings(folder: Path, *, shown: str) -> tuple[Finding, ...]:
    """Return everything that is wrong with the pages of a folder, each with its line."""
    found: list[Finding] = []
    for path in sorted(folder.glob("*.md")):
        if path.name in ("README.md", "index.md"):
            continue
        try:
            page = read_page(path, shown=f"{shown}/{path.name}")
        except DocumentError as error:
            found.append(_finding(f"{shown}/{path.name}", error))
            continue
        problems = [_wrong(page, key, message) for key, message in _unknown_keys(page)]
        for read in _FIELDS.values():
            try:
                read(page)
            except DocumentError as error:
                problems.append(error)
        found += [_finding(page.path, error) for error in problems]
    return tuple(sorted(set(found)))


def _finding(name: str, error: DocumentError) -> Finding:
    rest = error.message.removeprefix(f"{name}:")
    line, colon, message = rest.partition(": ")
    if not colon or not line.isdigit():
        line, message = "1", rest.strip()
    return Finding(name, int(line), "image-page", message, error.hint)


def _wrong(page: Page, key: str, message: str) -> DocumentError:
    return DocumentError(f"{page.path}:{page.line(key)}: {message}", hint=_HINT)


def _unknown_keys(page: Page) -> Iterator[tuple[str, str]]:
    for key in page.data:
        if key not in _KEYS:
            yield key, _unknown(key, _KEYS)


def _unknown(key: str, known: tuple[str, ...], under: str = "") -> str:
    close = get_close_matches(key, known, n=1)
    meant = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"
    return f"unknown key {(under and under + '.') + key!r}{meant}"


def _check_keys(page: Page, data: Mapping[str, Any], known: tuple[str, ...], under: str) -> None:
    for key in data:
        if key not in known:
            raise _wrong(page, under, _unknown(key, known, under))


def _needed(page: Page, key: str) -> None:
    if key not in page.data:
        raise _wrong(page, key, f"the key {key!r} is missing")


def _name(page: Page) -> str:
    _needed(page, "name")
    name, stem = _text(page, "name"), PurePath(page.path).stem
    if not _NAME.match(name):
        raise _wrong(page, "name", f"name must be lower case words joined by '-', got {name!r}")
    if name != stem:
        raise _wrong(page, "name", f"name {name!r} must be that of the file, {stem!r}")
    return name


def _digest(page: Page) -> str | None:
    digest = _text(page, "digest") or None
    if digest is not None and not _DIGEST.match(digest):
        raise _wrong(page, "digest", f"digest must be 'sha256:' and 64 hexadecimal digits, got {digest!r}")
    return digest


def _platform(page: Page) -> str:
    platform = _given(page, "platform")
    if not _PLATFORM.match(platform):
        raise _wrong(page, "platform", f"platform must look like linux/arm64, got {platform!r}")
    return platform


def _given(page: Page, key: str) -> str:
    _needed(page, key)
    return _text(page, key)


def _given_word(page: Page, key: str, words: type[_Word]) -> _Word:
    _needed(page, key)
    return _word(page, key, page.data[key], words)


def _given_version(page: Page, key: str) -> str:
    _needed(page, key)
    return _version(page, key)


def _text(page: Page, key: str) -> str:
    value = page.data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(page, key, f"{key} must be text, got {value!r}; put it in quotes")
    return " ".join(value.split())


def _version(page: Page, key: str) -> str:
    text = _text(page, key)
    try:
        return text if not text else str(Version(text)) and text
    except InvalidVersion as error:
        raise _wrong(page, key, f"{key} must be a version such as 0.14.0rc2, got {text!r}") from error


def _word(page: Page, key: str, value: Any, words: type[_Word]) -> _Word:
    try:
        return words(value)
    except ValueError as error:
        known = [str(word) for word in words]
        close = get_close_matches(str(value), known, n=1)
        meant = f"did you mean {close[0]!r}?" if close else f"one of {', '.join(known)}"
        raise _wrong(page, key, f"{key} cannot be {value!r}; {meant}") from error


def _registry(page: Page) -> Registry:
    value = page.data.get("registry")
    if value is None:
        return Registry()
    if isinstance(value, list):
        names = _classes(page, value)
        return Registry(names=names, count=len(names))
    if not isinstance(value, dict):
        raise _wrong(page, "registry", f"registry must be a list of classes or names/count, got {value!r}")
    _check_keys(page, value, _REGISTRY_KEYS, "registry")
    count = value.get("count")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
        raise _wrong(page, "registry", f"registry.count must be a number of classes, got {count!r}")
    names, absent = _classes(page, value.get("names", [])), _classes(page, value.get("absent", []))
    if count is not None and count < len(names):
        raise _wrong(page, "registry", f"registry.count is {count} but {len(names)} names are listed")
    if both := sorted(set(names) & set(absent)):
        raise _wrong(page, "registry", f"{both[0]} is listed both as a name and as absent")
    return Registry(names=names, count=count, absent=absent)


def _classes(page: Page, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _wrong(page, "registry", f"a list of architecture classes is needed, got {value!r}")
    for item in value:
        if not isinstance(item, str) or not _CLASS.match(item):
            raise _wrong(page, "registry", f"not the name of an architecture class: {item!r}")
    return tuple(value)


def _support(page: Page) -> dict[str, Support]:
    value = page.data.get("support") or {}
    if not isinstance(value, dict):
        raise _wrong(page, "support", f"support must be 'key: {Support.REPORTED}' lines, got {value!r}")
    _check_keys(page, value, tuple(key for key in _KEYS if key != "support"), "support")
    return {key: _word(page, "support", word, Support) for key, word in value.items()}


#: Each field of an image and how the page tells it.
_FIELDS: dict[str, Callable[[Page], Any]] = {
    "name": _name,
    "reference": lambda page: _given(page, "reference"),
    "engine": lambda page: _given_word(page, "engine", Engine),
    "engine_version": lambda page: _given_version(page, "engine-version"),
    "python": lambda page: _version(page, "python"),
    "torch_version": lambda page: _version(page, "torch-version"),
    "transformers_version": lambda page: _version(page, "transformers-version"),
    "platform": _platform,
    "registry": _registry,
    "digest": _digest,
    "status": lambda page: _given_word(page, "status", Support),
    "source": lambda page: _given(page, "source"),
    "support": _support,
    "get_from": lambda page: _text(page, "get-from"),
}
