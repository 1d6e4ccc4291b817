"""The page that is shown where there is none: how one goes on from it."""

from collections.abc import Collection, Sequence
from html import escape
from urllib.parse import urlsplit

from reaffirm.site.addresses import address

# As Material has it; another theme's page stays as it is.
_HEADING = "<h1>404 - Not found</h1>"
#: The questions of the front page, and the pages that answer them; of those that the site has.
_QUESTIONS = (
    ("What did we decide, and why?", "decisions/index.md"),
    ("Is it still true?", "still-true.md"),
    ("How do I do it?", "runbooks/index.md"),
    ("What does this failure mean?", "failures/index.md"),
    ("What came of it when it ran?", "runs/index.md"),
)
#: Where nobody said at which address the site is: the first folder above that has a file of every site. All
#: that led from the top of the host then leads from there, also to the looks of the page.
SCRIPT = """(async () => {
  const parts = location.pathname.split("/").slice(1, -1);
  for (let n = 0; n <= parts.length; n += 1) {
    const top = "/" + parts.slice(0, n).map((one) => one + "/").join("");
    const found = await fetch(top + "claims.json", { method: "HEAD" }).catch(() => null);
    if (!found || !found.ok) continue;
    if (n) for (const one of document.querySelectorAll('[href^="/"],[src^="/"]')) {
      const name = one.hasAttribute("href") ? "href" : "src";
      one.setAttribute(name, top + one.getAttribute(name).slice(1));
    }
    break;
  }
})();"""


def with_ways_on(
    html: str, site_url: str, pages: Collection[str] = (), *, directory_urls: bool = True
) -> str:
    """Return the page with ways on: the search, the questions of the front page, home.

    Args:
        html: the page of the theme.
        site_url: the address of the site; empty: nobody said. Then it is taken to be at the top of its host,
            and a small script looks for it where it is not.
        pages: those that the site has.
        directory_urls: whether the address of ``a.md`` is ``a/`` and not ``a.html``.
    """
    if _HEADING not in html:
        return html
    home = escape(urlsplit(site_url).path.rstrip("/") + "/")
    lines = _links(home, pages, directory_urls)
    told = (
        "<h1>There is no such page</h1><p>It may have had another name, or it was a run that is no longer "
        f'published. <a href="{home}?q=">Search this site</a> for a word of its title or of your log, or go '
        f'on from here:</p><ul>{"".join(lines)}<li><a href="{home}">Home</a></li></ul>'
    )
    page = html.replace(_HEADING, told, 1)
    if site_url:
        return page
    # Behind the text, where the theme has its own: no article of ours holds a script.
    rest, body, end = page.rpartition("</body>")
    return f"{rest}<script>{SCRIPT}</script>{body}{end}" if body else f"{page}<script>{SCRIPT}</script>"


def _links(home: str, pages: Collection[str], directory_urls: bool) -> Sequence[str]:
    return [
        f'<li><a href="{home}{address(uri, directory_urls=directory_urls)}">{words}</a></li>'
        for words, uri in _QUESTIONS
        if uri in pages
    ]
