"""Command about the locks of nodes: nodes unlock."""

import socket
from typing import Annotated

import typer

from reaffirm.errors import UsageError
from reaffirm.redact import redact


def unlock(
    nodes: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A machine file, or its name.")],
    run: Annotated[str, typer.Option(help="The run whose lock is broken; without it, only look.")] = "",
    node: Annotated[str, typer.Option(help="Only this node (default: every node of the file).")] = "",
) -> None:
    """Show which run holds the lock of each node; with --run, break the lock of that run."""
    from reaffirm.nodes.connect import open_cluster
    from reaffirm.nodes.lock_holder import described
    from reaffirm.nodes.locks import ask_lock

    cluster = open_cluster(nodes)
    held = broken = 0
    try:
        for one in (cluster[node],) if node else cluster.nodes:
            name = one.node.name
            told = ask_lock(one, ["break", run, socket.gethostname()] if run else ["show"])
            if gone := told.get("broken"):
                broken += 1
                typer.echo(redact(f"{name}: was {described(gone)}; its lock is broken"))
                continue
            holder = told.get("holder")
            held += holder is not None
            void = f" (void: {holder['void']})" if holder and holder.get("void") else ""
            typer.echo(redact(f"{name}: {described(holder)}{void}" if holder else f"{name}: free"))
    finally:
        cluster.close()
    if run and not broken:
        msg = f"no node of {nodes} is held by run {run!r}; nothing was broken"
        raise UsageError(
            msg, hint="the lines above say who holds which" if held else "there is nothing to break"
        )
    if broken:
        typer.echo(
            "the run that held it is told so before its next change; look at what it left on the nodes"
        )
    elif held:
        typer.echo(f"next: reaffirm nodes unlock {nodes} --run ID, when that run is surely dead")
