"""The door into papermill: ``papermill runbooks/x.py`` works as typed, and the source is never overwritten.

papermill loads its ``papermill.io`` entry points while it is being imported, before its command line
is. That one entry point lets us in; from there five things are wrapped, once:

- ``papermill_io.read``: a path that ends in ``.py`` (any scheme, any spelling) is read as a runbook;
- ``papermill_io.write``: never to a ``.py`` file; the notebook of a runbook redacted and atomically;
- ``write_ipynb``: the same before the notebook is made into text, twice for each cell;
- ``papermill.execute_notebook``: typed parameters, the folder of the run, the working directory;
- the command's callback: a default output path, short messages.

Everything else stays as papermill has it: ordinary notebooks pass through untouched. Nothing heavy is
imported before there is a runbook.
"""

import functools
import os
import sys
import types
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

_Wrap = Callable[[Any], Any]


class RunbookHandler:
    """What ``runbook://`` leads to: a message. The entry point only lets us in."""

    def read(self, path: str) -> str:
        """Say what to type instead."""
        from reaffirm.errors import UsageError

        msg = f"{path}: runbook:// is not an address"
        raise UsageError(msg, hint="give the path of the .py file, such as runbooks/pivot_to_vllm.py")

    def write(self, buf: str, path: str) -> None:
        """Say what to type instead."""
        self.read(path)

    def listdir(self, path: str) -> list[str]:
        """Say what to type instead."""
        self.read(path)
        return []

    def pretty_path(self, path: str) -> str:
        """Return the path."""
        return path


_HANDLER = RunbookHandler
del RunbookHandler


def __getattr__(name: str) -> Any:
    # papermill asks for the handler each time it is imported; this is when we come in.
    if name == "RunbookHandler":
        install()
        return _HANDLER
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def install() -> None:
    """Wrap papermill, once."""
    io = sys.modules["papermill.iorw"].papermill_io
    if getattr(io.read, "reaffirm", False):
        return
    try:
        os.fstat(0)
    except OSError:  # papermill asks what is on standard input, and does not start where it is closed
        os.open(os.devnull, os.O_RDONLY)
    read, write = io.read, io.write
    io.read, io.write = _reading(read), _writing(write)
    after_import("papermill.iorw", "write_ipynb", _saving)
    after_import("papermill.execute", "execute_notebook", functools.partial(_executing, read, write))
    after_import("papermill.inspection", "_infer_parameters", _inferring)
    after_import("papermill.cli", "papermill", functools.partial(_commanding, read))
    _start_early()


def _start_early() -> None:
    """Start the worker now if this is papermill's command on a runbook; it takes as long to load as we do."""
    words = sys.argv[1:] if os.path.basename(sys.argv[0]) in ("papermill", "__main__.py") else []  # noqa: PTH119
    if sys.argv[0] == "-m" and sys.orig_argv[1:3] == ["-m", "papermill"]:
        words = sys.orig_argv[3:]
    others = ("--engine", "--prepare-only", "--help-notebook", "--kernel", "-k", "--version", "--help", "-h")
    if not words or any(word.partition("=")[0] in others for word in words):
        return
    named = next((word for word in words if not word.startswith("-")), "")
    if named.endswith(".py") and os.path.isfile(named):  # noqa: PTH113
        from pathlib import Path

        from reaffirm.run import early

        early.start(Path(named))


def _reading(original: Callable[..., str]) -> Callable[..., str]:
    @functools.wraps(original)
    def read(path: Any, *args: Any, **kwargs: Any) -> str:
        if path == "-" or _is_python(path):
            from reaffirm.run import execution

            runbook = execution.known(path) or execution.load(path, original)
            return runbook.as_json() if runbook else execution.piped_text() or ""
        return original(path, *args, **kwargs)

    read.reaffirm = True  # type: ignore[attr-defined]
    return read


def _writing(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def write(buf: str, path: Any, *args: Any, **kwargs: Any) -> Any:
        name = os.fspath(path) if isinstance(path, os.PathLike) else path
        if isinstance(name, str) and (".py" in name.lower() or os.path.islink(name)):  # noqa: PTH114
            from reaffirm.run import execution

            execution.refuse_source(name)
        run = _run_under_way()
        if run is not None and run.owns(path, buf):
            return run.save_text(buf)
        return original(buf, path, *args, **kwargs)

    return write


def _saving(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def write_ipynb(nb: Any, path: Any) -> Any:
        run = _run_under_way()
        if run is not None and run.owns(
            path, nb.metadata.get("reaffirm", {}).get("runbook", {}).get("sha256", "")
        ):
            return run.save(nb)
        return original(nb, path)

    return write_ipynb


def _run_under_way() -> Any:
    loaded = sys.modules.get("reaffirm.run.execution")
    return loaded.current() if loaded else None


def _executing(read: Any, write: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def execute_notebook(*args: Any, **kwargs: Any) -> Any:
        path = args[0] if args else kwargs.get("input_path")
        if path != "-" and not _is_python(path):
            return original(*args, **kwargs)
        from reaffirm.run import execution

        return execution.execute(original, read, write, *args, **kwargs)

    return execute_notebook


def _inferring(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def infer(nb: Any, *args: Any, **kwargs: Any) -> Any:
        if "runbook" in nb.metadata.get("reaffirm", {}):
            from reaffirm.run.command import papermill_parameters

            return papermill_parameters(nb)
        return original(nb, *args, **kwargs)

    return infer


def _commanding(read: Any, command: Any) -> Any:
    original = command.callback

    @functools.wraps(original)
    def callback(**given: Any) -> Any:
        named, output = given.get("notebook_path"), given.get("output_path")
        # papermill takes the one path as its output when something is piped in; a source never is one
        piped = named in (None, "-") or (sys.modules["papermill.cli"].INPUT_PIPED and not output)
        if not piped and not _is_python(named):
            if isinstance(named, str) and os.path.isdir(named):  # noqa: PTH112
                from reaffirm.run.command import stop_at_folder

                stop_at_folder(named)
            if _is_nothing(named):
                from reaffirm.run.command import stop_without_ending

                stop_without_ending(named)
            return original(**given)
        from reaffirm.run.command import run_command

        return run_command(original, read, given)

    command.callback = callback
    return command


def _is_nothing(path: object) -> bool:
    """Whether there is nothing at a path without an ending: a runbook's name, typed without its ``.py``."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str) or "://" in name or "{" in name:
        return False
    return not os.path.splitext(name)[1] and not os.path.exists(name)  # noqa: PTH110, PTH122


def _is_python(path: object) -> bool:
    """Cheap; :func:`reaffirm.run.runbook.is_python` tells the same about addresses."""
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    if not isinstance(path, str) or ".py" not in path:
        return False
    from reaffirm.run.runbook import is_python

    return is_python(path)


def after_import(name: str, attribute: str, wrap: _Wrap) -> None:
    """Replace ``name.attribute`` by ``wrap`` of it, whether the module is loaded, being loaded or not yet.

    A module that is being loaded gets a class whose property stands in for the attribute until it is
    looked at for the first time; then it is a plain module again.
    """
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _After(name, attribute, wrap))
    elif attribute in vars(module):
        setattr(module, attribute, wrap(getattr(module, attribute)))
    elif getattr(module.__spec__, "_initializing", False):
        module.__class__ = type("_Unfinished", (types.ModuleType,), {attribute: _first_look(attribute, wrap)})


def _first_look(attribute: str, wrap: _Wrap) -> property:
    def look(module: types.ModuleType) -> Any:
        module.__class__ = types.ModuleType
        found = vars(module).get(attribute)
        if found is None:
            msg = f"module {module.__name__!r} has no attribute {attribute!r}"
            raise AttributeError(msg)
        wrapped = vars(module)[attribute] = wrap(found)
        return wrapped

    return property(look)


class _After(MetaPathFinder):
    """Finds one module as everybody does, and wraps one attribute of it once it is loaded."""

    def __init__(self, name: str, attribute: str, wrap: _Wrap) -> None:
        self.name = name
        self.attribute = attribute
        self.wrap = wrap

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for the one module only."""
        if fullname != self.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            load(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            if hasattr(module, self.attribute):
                setattr(module, self.attribute, self.wrap(getattr(module, self.attribute)))

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
