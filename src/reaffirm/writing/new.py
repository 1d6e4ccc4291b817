"""New files from the templates: records, runbooks, failure modes, images."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.store.atomic import write_new
from reaffirm.store.project import Project
from reaffirm.store.reading.collection import Collection
from reaffirm.store.template import failure_template, runbook_template
from reaffirm.writing.numbers import dated_name, next_number
from reaffirm.writing.record_forms import filled, form_for

_TRIES = 50
_IMAGE = """\
---
name: {name}
reference: registry.example/{slug}:tag   # what `docker pull` takes
engine: vllm                             # or: sglang
engine-version: "0.0.0"
python: "3.12"
torch-version: ""
transformers-version: ""
platform: linux/arm64
registry:
  names: []                              # architecture classes; `reaffirm run probe_image` lists them
digest: null
status: made-up                          # seen | reported | made-up | unverified
source: who says so, and where
---

# {title}

What this image is, who made it, and how each fact above is known.
"""

# Words that YAML takes for something else than text.
_NO_TEXT = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)


@dataclass(frozen=True)
class Made:
    """A new file, and what its author should know."""

    path: Path
    notes: tuple[str, ...] = ()


def new_record(title: str, folder: Path, found: Collection, today: date) -> Made:
    """Make a record in the form of its folder, with the next number that is free on every branch.

    In a folder whose records are named by their day, the name begins with today's.

    Raises:
        UsageError: the title has no letters, no name is free, there is no template to begin from, or the
            folder cannot be written to.
    """
    slug = _slug(title, "-")
    form = form_for(folder, found)
    inside = [
        record for record in found.records if found.files[record.path].parent.resolve() == folder.resolve()
    ]
    if dated := dated_name(inside, today):
        front, number = dated
        return _write(folder / f"{front}{slug}{form.suffix}", filled(form, title, number, today))
    for _ in range(_TRIES):
        number, elsewhere = next_number(folder, [record.id for record in inside])
        path = folder / f"{number}-{slug}{form.suffix}"
        try:
            write_new(path, filled(form, title, number, today))
        except FileExistsError:
            continue
        except OSError as error:
            msg = f"{path}: cannot be written: {error.strerror or error}"
            raise UsageError(msg, hint="make the folder of the records, or name another with --in") from error
        taken = (f"{name} is on branch {branch}: its number is taken" for name, branch in elsewhere.items())
        return Made(path, tuple(taken))
    msg = f"{folder} has no free number for {slug!r}"
    raise UsageError(msg, hint="look what makes files there at the same time")


def new_runbook(title: str, project: Project) -> Made:
    """Make a runbook from ``runbooks/_template.py``; its name is the title's words.

    Raises:
        UsageError: there is no template, or a runbook of that name.
    """
    slug = _slug(title, "_")
    text = _read(runbook_template(project.runbooks))
    text = re.sub(r"(?m)^# # .*$", lambda _: f"# # {title}", text, count=1)
    text = text.replace('runbook="template"', f'runbook="{slug}"')
    return _write(project.runbooks / f"{slug}.py", text)


def new_failure(title: str, project: Project) -> Made:
    """Make the page of a failure mode from ``docs/failures/_template.md``.

    Raises:
        UsageError: there is no template, or a page of that name.
    """
    slug = _slug(title, "-")
    text = _read(failure_template(project.docs / "failures"))
    text = re.sub(r"(?m)^id: .*$", f"id: {_yaml(slug)}", text, count=1)
    text = re.sub(r"(?m)^title: .*$", lambda _: f"title: {_yaml(title)}", text, count=1)
    return _write(project.docs / "failures" / f"{slug}.md", text)


def new_image(title: str, project: Project) -> Made:
    """Make the page of a container image.

    Raises:
        UsageError: there is a page of that name.
    """
    slug = _slug(title, "-")
    return _write(
        project.docs / "container-images" / f"{slug}.md",
        _IMAGE.format(slug=slug, name=_yaml(slug), title=title),
    )


def _slug(title: str, joint: str) -> str:
    plain = unicodedata.normalize("NFKD", title.replace("ß", "ss")).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’]", "", plain.lower()))
    if not words or len(title.splitlines()) > 1 or any(unicodedata.category(c) == "Cc" for c in title):
        msg = f"a title has letters or digits and one line, got {title!r}"
        raise UsageError(msg, hint='write it in quotes: "Serve with vLLM"')
    return joint.join(words)[:80].rstrip(joint)


def _yaml(title: str) -> str:
    """A text as YAML reads it as that text: not as a number, a date or ``yes``."""
    plain = re.fullmatch(r"[A-Za-z][\w ,./()-]*[\w.)]", title) and not _NO_TEXT.fullmatch(title)
    return title if plain else "'" + title.replace("'", "''") + "'"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise UsageError(msg, hint="copy it from the project reaffirm, or write the file by hand") from error


def _write(path: Path, text: str) -> Made:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_new(path, text)
    except FileExistsError as error:
        msg = f"{path} is there already; nothing was written"
        raise UsageError(msg, hint="give it another title, or edit that file") from error
    return Made(path)
