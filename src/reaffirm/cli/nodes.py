"""Commands about machines: nodes init, nodes check."""

import re
import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text as Styled

from reaffirm.cli.here import NO_PROJECT
from reaffirm.cli.node_locks import unlock
from reaffirm.draw.report_text import KIND_WORDS, one_line
from reaffirm.errors import UsageError
from reaffirm.redact import redact
from reaffirm.store.atomic import write_new, write_text
from reaffirm.store.project import Project, find_project, image_folders

app = typer.Typer(
    help="Machine files: write one from two machines, check one; locks of machines.", no_args_is_help=True
)
app.command()(unlock)
_STYLES = {"FAIL": "bold red", "WARNING": "yellow", "unknown": "magenta", "pass": "green"}


@app.command()
def init(
    hosts: Annotated[
        list[str], typer.Argument(metavar="HOST HOST", help="The head, then the other machine.")
    ],
    user: Annotated[str, typer.Option(help="The user on them (default: from the ssh config).")] = "",
    jump: Annotated[str, typer.Option(help="The HOST through which the other one is reached.")] = "",
    ssh_config: Annotated[
        Path | None, typer.Option("--ssh-config", help="In place of ~/.ssh/config.", dir_okay=False)
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file (default: runbooks/nodes/<HOST>.toml).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Ask machines about themselves and write a machine file; nothing on them is changed."""
    from reaffirm.nodes.cluster import Cluster, RunContext
    from reaffirm.nodes.hosts import open_hosts, specs
    from reaffirm.steps.describe import describe
    from reaffirm.steps.machine_text import machine_text
    from reaffirm.store.images import read_images
    from reaffirm.store.machines import parse_machines

    nodes = specs(hosts, user=user, jump=jump)
    project = find_project()
    path = output or _default(project, nodes[0].name)
    _refuse(path, force)
    config = _shown_config(ssh_config)
    machines, transports, detours = open_hosts(nodes, ssh_config=str(ssh_config or ""))
    try:
        told = describe(Cluster(machines, transports, RunContext(None)))
    finally:
        for transport in transports.values():
            transport.close()
    references: dict[str, str] = {}
    for folder in reversed(image_folders(project)):
        references |= {name: page.reference for name, page in read_images(folder).items() if page.reference}
    words = ["reaffirm", "nodes", "init", *(spec.address for spec in nodes)]
    text = machine_text(
        told,
        machines,
        command=redact(shlex.join(words)),
        ssh_config=config,
        detours=detours,
        references=references,
    )
    parse_machines(text, shown=str(path), name=path.stem)  # what we write, we can read
    try:
        if force:
            write_text(path, text)
        else:
            write_new(path, text)
    except FileExistsError:
        _refuse(path, force)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}"
        raise UsageError(msg, hint="name another file with --output") from error
    for detour in detours:
        typer.echo(one_line(detour))
    fill = len(re.findall(r"^# FILL IN ", text, re.MULTILINE)) - 1  # one is the legend
    todo = f"{fill} place(s) to FILL IN" if fill else "nothing to fill in"
    typer.echo(f"{path}: {len(nodes)} machine(s), kind {told.kind}, {todo}")
    typer.echo(f"next: read it, then reaffirm nodes check {shlex.quote(str(path))}")


@app.command()
def check(
    nodes: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A machine file, or its name.")],
) -> None:
    """Check a machine file and its machines, as preflight does; nothing on them is changed."""
    from reaffirm.nodes.connect import open_cluster
    from reaffirm.steps.check_nodes import check_nodes

    cluster = open_cluster(nodes)
    try:
        found = check_nodes(cluster)
    finally:
        cluster.close()
    console = Console(highlight=False)
    console.print(Styled(f"{cluster.machines.path}: {KIND_WORDS[found.kind]}"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "node", "check", "seen", "what to do"):
        table.add_column(column, overflow="fold")
    for verdict, *cells in found.rows:
        shown = (Styled(redact(one_line(cell))) for cell in cells)
        table.add_row(Styled(verdict, style=_STYLES[verdict]), *shown)
    console.print(table)
    counted = found.counts
    typer.echo(
        f"{counted['pass']} passed, {counted['FAIL']} failed, {counted['WARNING']} warned, "
        f"{counted['unknown']} unknown; nothing on the machines was changed"
    )
    raise typer.Exit(found.status)


def _default(project: Project | None, head: str) -> Path:
    if project is None:
        msg = f"{Path.cwd()} is in no project"
        raise UsageError(msg, hint=f"name the file with --output, or {NO_PROJECT}")
    # An address has dots; the name of a machine file is a word.
    name = head.replace(".", "-") if re.fullmatch(r"[\d.]+", head) else head.partition(".")[0]
    path = project.machine_files / f"{name}.toml"
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _refuse(path: Path, force: bool) -> None:
    """Stop before anything is asked when the file is there, or its folder is not.

    Raises:
        UsageError: it is so.
    """
    if path.suffix != ".toml":
        msg = f"a machine file ends in .toml, got {str(path)!r}"
        raise UsageError(msg, hint=f"write --output {path}.toml")
    if not path.parent.is_dir():
        msg = f"the folder of {path} is not there"
        raise UsageError(msg, hint=f"mkdir -p {path.parent}")
    if path.exists() and not force:
        msg = f"{path} is there already; nothing was asked and nothing written"
        raise UsageError(msg, hint="name another file with --output, or overwrite it with --force")


def _shown_config(path: Path | None) -> str:
    """Return how the file names an ssh config: under the home folder with ``~``, else in full."""
    if path is None:
        return ""
    if not path.expanduser().is_file():
        msg = f"there is no ssh config at {path}"
        raise UsageError(msg, hint="leave it out to use ~/.ssh/config")
    whole = path.expanduser().resolve()
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else str(whole)
