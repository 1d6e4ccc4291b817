"""What is wrong with a record, on its page: folded and in no search, since who reads it need not know."""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reaffirm.model.finding import Finding
from reaffirm.site.text import UNSEARCHED, admonition, code, inline


@dataclass(frozen=True)
class Told:
    """What the page of a record also says where records are shown as they are, faults and all.

    ``findings`` go into a folded box; ``rules`` are the pages of their codes. ``source`` links the file.
    ``gone`` says what of a link is not there.
    """

    findings: Sequence[Finding] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    gone: Callable[[str], str] = lambda _: ""


def findings_of(told: Told, uri: str) -> str:
    """Return the folded box of a record; empty where nothing is wrong."""
    if not told.findings:
        return ""
    count = len(told.findings)
    lines = [f"-   {finding_line(one, told.rules, uri)}\n    {{ {UNSEARCHED} }}" for one in told.findings]
    title = f"{count} finding{'' if count == 1 else 's'} about this record"
    return admonition("quote", title, "\n".join(lines), folded=True, searched=False)


def finding_line(finding: Finding, rules: Mapping[str, str], uri: str, *, path: bool = False) -> str:
    """Return a finding as Markdown: its line, its code with a link to the rule's page where there is one."""
    rule = rules.get(finding.code)
    name = code(finding.code)
    if rule:
        name = f"[{name}]({posixpath.relpath(rule, posixpath.dirname(uri) or '.')})"
    place = code(f"{finding.path}:{finding.line}") if path else f"line {finding.line}"
    hint = f"; {inline(finding.hint)}" if finding.hint else ""
    return f"{place}: {name} {inline(finding.message)}{hint}"


def findings_box(messages: list[str]) -> str:
    """Return a box that lists what is wrong with the files behind a page."""
    return admonition("bug", "Not everything could be read", "\n".join(f"-   {inline(m)}" for m in messages))
