"""The process in which a dry run happens: runs the cells of a runbook against nodes that send nothing.

It reads one JSON object from standard input and writes JSON lines to standard output: one for each cell that
begins, for each request that a step would send, and for each cell that could not be run to its end.

Cells are run as plain Python: lines for a shell and magics of IPython are not, for they could do anything.
"""

import ast
import json
import os
import sys
import types
from collections.abc import Callable
from typing import Any


def main() -> None:
    """Run what standard input says."""
    given = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)  # what cells print is no part of what is sent

    def say(what: dict[str, Any]) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    from reaffirm.nodes import dry_run, marks
    from reaffirm.nodes.secret_variables import learn, learn_environment

    _tell_secrets(say)
    learn_environment()
    dry_run.listen(say)
    _assume_before_steps()
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__dict__["display"] = lambda *_, **__: None
    broken: set[str] = set()
    for cell in given["cells"]:
        marks.cell_begins(cell["number"], cell["step"])
        say({"op": "cell", **{key: cell[key] for key in ("number", "step", "heading")}})
        if cell["skip"]:
            say({"op": "skipped", "why": cell["skip"]})
            continue
        try:
            code = compile(cell["source"], f"<cell {cell['number']}>", "exec", dont_inherit=True)
            exec(code, module.__dict__)  # noqa: S102
        except SyntaxError as error:
            say({"op": "unknown", "why": f"not plain Python, so it was not run: {error.msg}"})
            broken |= _sets(cell["source"])
        except BaseException as error:
            say({"op": "unknown", "why": _why(error, broken)})
            broken |= _sets(cell["source"])
        else:
            module.__dict__.update(cell.get("values") or {})
        learn()  # also of a cell that did not come to its end
    say({"op": "end"})
    out.close()
    os._exit(0)  # nothing is open that would have to be let go of


def _tell_secrets(say: Callable[[dict[str, Any]], None]) -> None:
    """Let the runner know what is secret, as in a real run: it masks all that is shown."""
    from reaffirm.redact import on_learning

    def tell(now: Any) -> None:
        patterns = [pattern.pattern for pattern in now.patterns]
        say({"op": "secrets", "values": list(now.values), "names": list(now.names), "patterns": patterns})

    on_learning(tell)


def _why(error: BaseException, broken: set[str]) -> str:
    name = getattr(error, "name", "")
    if isinstance(error, NameError) and name in broken:
        return f"it needs {name!r}, which a step above would have set"
    message = getattr(error, "message", "") or str(error)
    return f"it stopped on the assumed answers: {type(error).__name__}: {message}".rstrip(": ")


def _sets(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    return {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _assume_before_steps() -> None:
    """Assume what a step is about: nobody would see what a cleanup removes, or what is asked of a service."""
    from reaffirm import steps
    from reaffirm.nodes import dry_run

    for name in ("cleanup", "verify", "http"):
        _wrap(steps, name, dry_run)


def _wrap(steps: Any, name: str, dry_run: Any) -> None:
    step = getattr(steps, name)

    def wrapped(cluster: Any, *words: Any, **options: Any) -> Any:
        if name == "cleanup":
            dry_run.assume_containers(words)
            return step(cluster, *words, **options)
        with dry_run.assumed_service():
            return step(cluster, *words, **options)

    setattr(steps, name, wrapped)


if __name__ == "__main__":
    main()
