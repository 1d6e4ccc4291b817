"""A page of the browser that notes what a reader must never meet: errors, dialogs, requests elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

#: Milliseconds that anything on a page may take.
PATIENCE = 15_000


@dataclass
class Watched:
    """A page, the origin that it may speak to, and what happened on it."""

    page: "Page"
    origin: str
    troubles: list[str] = field(default_factory=list)

    def visit(self, path: str) -> "Page":
        """Open a page of the site by its path and wait until its scripts have run."""
        self.page.goto(self.origin + path, wait_until="load")
        return self.page

    def taken(self) -> list[str]:
        """Return what was noted since the last call."""
        found, self.troubles[:] = list(self.troubles), []
        return found


@contextmanager
def watched(browser: "Browser", origin: str, **options: Any) -> Iterator[Watched]:
    """Yield a page whose requests elsewhere are noted and never leave this machine.

    Args:
        browser: Chromium.
        origin: address of the site, with a slash.
        options: of a context of Playwright, such as ``color_scheme``.
    """
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    seen = Watched(page, origin)

    def guard(route: "Route") -> None:
        url = route.request.url
        if url.startswith((origin, "data:", "blob:", "about:")):
            route.continue_()
        else:
            seen.troubles.append(f"request elsewhere: {url[:200]}")
            route.abort()

    context.route("**/*", guard)
    page.on(
        "console",
        lambda m: (
            seen.troubles.append(f"console {m.type}: {m.text[:300]}")
            if m.type in ("error", "warning")
            else None
        ),
    )
    page.on("pageerror", lambda error: seen.troubles.append(f"error: {str(error)[:300]}"))

    def dialog(box: Any) -> None:
        seen.troubles.append(f"dialog: {box.message[:100]}")
        box.dismiss()

    page.on("dialog", dialog)
    page.on(
        "response",
        lambda answer: (
            seen.troubles.append(f"status {answer.status}: {answer.url}") if answer.status >= 400 else None
        ),
    )
    page.on("popup", lambda _: seen.troubles.append("a window opened"))
    try:
        yield seen
    finally:
        context.close()
