"""Loads the steps into a kernel while it has nothing to do: an IPython extension.

A client waits 0.2 s after a kernel answered for the first time, to see whether more comes. The steps take
about as long to load. One small part is loaded at a time and messages are served in between, so a client
that does not wait is not kept waiting. Everything happens in the thread that runs the cells, before or
between them: a cell never finds a module half loaded. What cannot be loaded here is tried again, and told,
where a cell asks for it.
"""

import signal
from contextlib import suppress
from importlib import import_module
from typing import Any

#: Modules from low to high, and functions in them that read a table of the package once.
PARTS = (
    "reaffirm.model.report",
    "reaffirm.model.survey",
    "reaffirm.redact",
    "reaffirm.nodes.cluster",
    "reaffirm.store.node_programs",
    "reaffirm.images.plan",
    "reaffirm.draw.report_html",
    "reaffirm.diagnose.stages:stage_book",
    "reaffirm.steps.cleanup",
    "reaffirm.store.images",
    "reaffirm.steps.launch",
    "reaffirm.steps",
    "reaffirm.nodes.recording",
    "reaffirm.nodes.connect",
    "reaffirm.nodes.simulated.network",
    "reaffirm.nodes.simulated.docker_cli",
    "reaffirm.nodes.simulated.lines:wordings",
    "reaffirm.nodes.simulated.http_server",
    "reaffirm.nodes.simulated",
    "reaffirm.run.warm:pages",
    "reaffirm.redact.lazy:compile_all",
    "reaffirm.steps.failure_links:failure_pages",
)


def load_ipython_extension(_shell: Any) -> None:
    """Begin as soon as the kernel's loop runs."""
    from tornado.ioloop import IOLoop

    loop = IOLoop.current()
    rest = iter(PARTS)

    def load_one() -> None:
        part = next(rest, None)
        # Where Ctrl-C is not ignored a cell is under way that waits for something; it loads what it needs.
        if part is not None and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            load(part)
            loop.add_callback(load_one)

    loop.add_callback(load_one)


def load(part: str) -> None:
    """Load one of :data:`PARTS`; a failure is left to whoever needs it."""
    module, _, function = part.partition(":")
    with suppress(Exception):
        loaded = import_module(module)
        if function:
            getattr(loaded, function)()


def pages() -> None:
    """Read the pages of images, which are kept for as long as they stay the same."""
    from reaffirm.store.images import read_images
    from reaffirm.store.project import find_project, image_folders

    for folder in image_folders(find_project()):
        read_images(folder)
