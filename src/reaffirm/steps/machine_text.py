"""Writes the text of a machine file from what the machines said. Pure: no machine, no file is touched."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

from reaffirm.draw.report_text import one_line
from reaffirm.model.node import Machines, NodeSpec, Role
from reaffirm.redact import redact
from reaffirm.steps.describe import Description, Machine
from reaffirm.steps.reading import amount, gib

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
#: Models and images that a file lists (the machine may have many more).
_MOST = 12


def machine_text(
    told: Description,
    reached: Machines,
    *,
    command: str,
    ssh_config: str = "",
    detours: Sequence[str] = (),
    references: Mapping[str, str] | None = None,
) -> str:
    """Return a machine file with comments: what was seen, what is assumed, what is to be filled in.

    Args:
        told: what the machines said.
        reached: the machines as they were reached, in the same order.
        command: the command line that asked, without a secret in it.
        ssh_config: the ssh config to name in the file; empty for ``~/.ssh/config``.
        detours: a sentence for each machine that was reached through the head.
        references: the names that runbooks give images, with their usual references.
    """
    names = _names(told, reached)
    # A line break in what a machine said must never begin a line of its own.
    lines = [
        *_top(told, names, command, detours),
        *_before_tables(told, names, ssh_config),
        *_RULES.splitlines(),
        "",
        *chain.from_iterable(
            _node(machine, spec, names) for machine, spec in zip(told.machines, reached.nodes, strict=True)
        ),
        *_fabric(told),
        *_images(told, names, references or {}),
        *_containers(told),
        *_REST.splitlines(),
    ]
    return "\n".join(redact(one_line(line)).rstrip() for line in lines) + "\n"


def _names(told: Description, reached: Machines) -> dict[str, str]:
    """Return the names that the file gives: the host's own where it can, else the word that was typed."""
    own = [machine.facts.hostname.partition(".")[0] for machine in told.machines]
    usable = all(_NAME.match(name) for name in own) and len({name.lower() for name in own}) == len(own)
    return {spec.name: name if usable else spec.name for spec, name in zip(reached.nodes, own, strict=True)}


def _top(told: Description, names: Mapping[str, str], command: str, detours: Sequence[str]) -> list[str]:
    when = datetime.fromtimestamp(told.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    lines = [
        f"# {' and '.join(names.values())}, as they described themselves on {when}.",
        f"# Written by `{command}`. The machines were only asked: nothing on them was changed.",
        f"# Their kind at that time: {told.kind}. It is looked up at every run; this line decides nothing.",
        "#",
        "# SEEN     the machines said so at that time; it may have changed since",
        "# ASSUMED  nobody said so: look at it",
        "# FILL IN  could not be found out",
        "#",
        "# No secret belongs in here. All keys: docs/reference/machine-file.md. Next: `reaffirm nodes check`",
    ]
    lines += [f"# SEEN     {detour}" for detour in detours]
    gaps = [(machine, gap) for machine in told.machines for gap in machine.gaps]
    lines += [f"# FILL IN  {names[machine.facts.node]} did not tell: {gap}" for machine, gap in gaps]
    return [*lines, ""]


def _before_tables(told: Description, names: Mapping[str, str], ssh_config: str) -> list[str]:
    lines = []
    if ssh_config:
        lines += ["# As given on the command line.", f"ssh-config = {_text(ssh_config)}", ""]
    caches = {machine.cache for machine in told.machines}
    for machine in told.machines:
        lines += _cache_lines(machine, names[machine.facts.node])
    if len(caches) == 1 and "" not in caches:
        usual = "" if any(machine.cache_there for machine in told.machines) else " # ASSUMED: the usual place"
        lines.append(f"hf-cache = {_text(caches.pop())}{usual}")
    else:
        lines.append("# FILL IN: the cache is not at one path on all machines; launches need one.")
        lines.append('# hf-cache = "/home/me/.cache/huggingface"')
    return [*lines, ""]


def _cache_lines(machine: Machine, name: str) -> list[str]:
    if not machine.cache:
        return [f"# FILL IN  whether {name} has a Hugging Face cache could not be told"]
    if not machine.cache_there:
        lines = [f"# SEEN     {name} has no folder {machine.cache} yet"]
    elif not machine.models:
        lines = [f"# SEEN     {name} has {machine.cache}, without a model in it"]
    else:
        lines = [f"# SEEN     {name} has in {machine.cache}:"]
    for model in machine.models[:_MOST]:
        cut = f", {model.unfinished} download(s) UNFINISHED" if model.unfinished else ""
        lines.append(f"#            {model.name}, {amount(model.size)}{cut}")
    if len(machine.models) > _MOST:
        lines.append(f"#            and {len(machine.models) - _MOST} more")
    if machine.hf_home:
        lines.append(f"# SEEN     HF_HOME is set to {machine.hf_home} on {name}: is the cache there?")
    return lines


def _node(machine: Machine, spec: NodeSpec, names: Mapping[str, str]) -> list[str]:
    facts = machine.facts
    name = names[facts.node]
    gpus = ", ".join(facts.gpus) or "no GPU seen (no answer of nvidia-smi)"
    driver = f" (driver {facts.driver})" if facts.driver else ""
    memory = f"{gib(facts.memory_available)} of {gib(facts.memory_total)} GiB memory available"
    lines = [
        f"# {name}",
        f"# SEEN     host name {facts.hostname or 'unknown'}; {machine.processor or 'processor unknown'}; "
        f"{gpus}{driver}",
        f"# SEEN     {memory}; docker {facts.docker or 'unknown'}",
    ]
    lines += _interface_lines(machine)
    lines += _advertised_lines(machine)
    why = "the first on the command line; it runs rank 0 and serves HTTP"
    role = f"# ASSUMED: {why}" if machine.role is Role.HEAD else ""
    lines += [
        "[[node]]",
        f"name = {_text(name)}",
        f"role = {_text(machine.role.value)} {role}".rstrip(),
        f"address = {_text(spec.address)} # as given: a host name, an address or a Host of the ssh config",
    ]
    if spec.user:
        lines.append(f"user = {_text(spec.user)}")
    if spec.port:
        lines.append(f"port = {spec.port}")
    if spec.jump:
        lines.append(f"jump = {_text(names[spec.jump])}")
    return [*lines, ""]


def _interface_lines(machine: Machine) -> list[str]:
    facts = machine.facts
    lines, plain = [], 0
    for link in facts.interfaces:
        if not link.addresses and not link.rdma:
            plain += 1
            continue
        addresses = ", ".join(map(str, link.addresses)) or "no IPv4 address"
        rdma = f", RDMA device {link.rdma}" if link.rdma else ""
        route = ", default route" if link.name == facts.default_route else ""
        state = "up" if link.up else "down"
        lines.append(f"# SEEN     {link.name} {state}: {addresses}{rdma}{route}")
    if plain:
        lines.append(f"# SEEN     {plain} interface(s) without an IPv4 address")
    lines += [
        f"# ASSUMED  {' and '.join(pair)} are the two halves of one socket, by their names"
        for pair in machine.twins()
    ]
    return lines


def _advertised_lines(machine: Machine) -> list[str]:
    facts = machine.facts
    if facts.advertised is None:
        return [f"# SEEN     no address that an engine would take for its own ({facts.advertised_how})"]
    reached, how = machine.reached
    lines = [f"# SEEN     an engine that is told nothing advertises {facts.advertised} (default route)"]
    if reached is False:
        lines.append(f"#          which is NOT REACHED from {how}. A launch here tells each rank its")
        lines.append("#          fabric address (VLLM_HOST_IP, SGLANG_HOST_IP); others may wait for ever")
    elif reached:
        lines.append(f"#          which is reached from {how}")
    else:
        lines.append("#          whether the other machine reaches it could not be told")
    return lines


def _fabric(told: Description) -> list[str]:
    fabric = told.fabric
    lines = [
        "# The network between the machines, found as preflight finds it: RDMA preferred, tried both ways."
    ]
    lines += [f"# SEEN     {tried}" for tried in fabric.tried]
    lines += [f"# SEEN     RISK: {risk}" for risk in fabric.risks]
    if fabric.ends:
        lines += ["[fabric]", f"subnet = {_text(fabric.subnet)}"]
    else:
        lines += [
            "# FILL IN: no network was found on which they reach each other. Give the cable's interface an",
            "# address on one subnet on each machine (docs/how-to/two-sparks.md), then name that subnet.",
            "# [fabric]",
            '# subnet = "192.0.2.0/24"',
        ]
    return [*lines, ""]


def _images(told: Description, names: Mapping[str, str], references: Mapping[str, str]) -> list[str]:
    lines = ["# Images whose names look like an engine's; `probe_image` tells what is really in one."]
    for machine in told.machines:
        here = [f"{ref} ({machine.images[ref]})" for ref in machine.engines[:_MOST]]
        lines.append(f"# SEEN     {names[machine.facts.node]}: {', '.join(here) or 'none'}")
    everywhere = [ref for ref in told.machines[0].engines if all(ref in m.images for m in told.machines)]
    alone = sorted({ref for m in told.machines for ref in m.engines} - set(everywhere))
    if alone and len(told.machines) > 1:
        lines.append(
            f"# FILL IN  not on every machine: {', '.join(alone[:_MOST])} (steps.copy_image brings it there)"
        )
    found = {name: _like(reference, everywhere) for name, reference in references.items()}
    lines.append("[images]")
    for name, likely in found.items():
        if likely and likely[0] != _tagged(references[name]):
            others = f"; also there: {', '.join(likely[1:])}" if likely[1:] else ""
            lines.append(
                f"{_text(name)} = {_text(likely[0])} # ASSUMED: the same name with another tag{others}"
            )
        elif not likely:
            lines.append(
                f'# FILL IN  {_text(name)} = "…" # if a runbook asks for it (else: {references[name]})'
            )
    return [*lines, ""]


def _like(reference: str, there: Sequence[str]) -> list[str]:
    """Return the images there whose repository has the last word of that reference's, the same tag first."""
    tagged = _tagged(reference)
    last = tagged.rpartition(":")[0].rpartition("/")[2]
    found = [ref for ref in there if ref.rpartition(":")[0].rpartition("/")[2] == last]
    return sorted(found, key=lambda ref: (ref != tagged, ref))


def _tagged(reference: str) -> str:
    return reference if ":" in reference.rpartition("/")[2] else f"{reference}:latest"


def _containers(told: Description) -> list[str]:
    if not told.one_kernel:
        return [
            "# ASSUMED: the usual options of `docker run`. For example:",
            "# [containers]",
            '# ipc = "host"',
            "",
        ]
    return [
        '# SEEN     the machines have one boot id: they share a kernel and, with ipc = "host", /dev/shm.',
        "#          An engine would take the two for one machine and wait for ever.",
        "[containers]",
        'ipc = ""',
        'shm-size = "1g" # ASSUMED: a /dev/shm of its own for each container',
        "",
    ]


_RULES = """\
# What no runbook may do here, whoever runs it (docs/how-to/keep-from-harm.md). These keys stand here for all
# machines, or in a [[node]] for one; a request that a rule forbids is not sent. Take the # away and fill in:
# protected = ["database", "prod-*"]      # containers that nothing may remove, stop, replace or reach into
# names = ["vllm-*", "sglang-*"]          # the only containers that runbooks may start or remove
# read-only = true                        # nothing that changes anything is sent
"""

_REST = """\
# What a model is here, where it does not lie in the Hugging Face cache:
# [models."Qwen/Qwen3.5-122B-A10B-FP8"]
# path = "/data/models/qwen"

# ASSUMED: the usual ports, environment and arguments. For example:
# [launch.vllm]
# port = 8000
# arguments = ["--gpu-memory-utilization", "0.7"]

# ASSUMED: the usual limits of silence (docs/reference/stages.md). Seconds:
# [limits]
# compile = 3600
"""


def _text(value: str) -> str:
    """Write a TOML basic string."""
    return json.dumps(one_line(value), ensure_ascii=False).replace("\x7f", " ")
