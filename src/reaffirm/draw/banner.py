"""The first words of a run: what kind it is, on which machines, and what that kind can show."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from reaffirm.model.evidence import Kind
from reaffirm.model.node import NodeSpec, Role

_WHOLE: Mapping[str, Any] = {}
_TOLD = {
    Kind.SIMULATED: (
        "SIMULATED RUN",
        "No machine was touched. It shows that the procedure works, not that the world is so; its times "
        "and speeds are made up.",
    ),
    Kind.LAB: (
        "LAB RUN",
        "Real software on the hosts of a lab. It shows nothing about a GPU, RDMA or speed.",
    ),
    Kind.REAL: ("REAL RUN", "On these machines, at the time of the run; it says nothing about others."),
}


def node_names(nodes: Sequence[NodeSpec]) -> str:
    """Name nodes with what they do in a launch: ``spark-1 (head), spark-2 (worker)``."""
    return ", ".join(
        f"{node.name} ({node.role})" if node.role in (Role.HEAD, Role.WORKER) else node.name for node in nodes
    )


def resumed_words(resumed: Mapping[str, Any]) -> str:
    """Say what of a run was not run again; empty where it was run as a whole."""
    if not resumed:
        return ""
    run, step = resumed.get("run", "an earlier run"), resumed.get("step") or resumed.get("cell")
    return (
        f"RESUMED: the steps before {step} were not run again. What they show is what the run {run} "
        "was answered, with the times of then."
    )


def banner_text(
    kind: Kind, machines: str, nodes: Sequence[NodeSpec], resumed: Mapping[str, Any] = _WHOLE
) -> str:
    """Return the banner as plain text of two lines, three where the run took up an earlier one."""
    title, words = _TOLD[kind]
    more = f"\n{told}" if (told := resumed_words(resumed)) else ""
    return f"{title} on {machines}: {node_names(nodes)}\n{words}{more}"


def banner_html(
    kind: Kind, machines: str, nodes: Sequence[NodeSpec], resumed: Mapping[str, Any] = _WHOLE
) -> str:
    """Return the banner as HTML; the frame of a simulated run is dashed, as that of its reports."""
    title, words = _TOLD[kind]
    more = f"<p>{escape(told)}</p>" if (told := resumed_words(resumed)) else ""
    line = "dashed" if kind is Kind.SIMULATED else "solid"
    return (
        f'<div class="rf-banner" style="border:2px {line} currentColor;border-radius:6px;padding:.5em 1em">'
        f"<p><strong>{title}</strong> on {escape(machines)}: {escape(node_names(nodes))}</p>"
        f"<p>{words}</p>{more}</div>"
    )
