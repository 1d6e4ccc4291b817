"""The pages of container images: their index, and the head of each page that somebody wrote."""

from collections.abc import Iterator
from typing import Any

from reaffirm.site.image_page import with_head
from reaffirm.site.navigation import SHELVES
from reaffirm.site.page import SitePage
from reaffirm.site.plan import Plan
from reaffirm.site.prose import first_heading
from reaffirm.site.text import front_matter, inline, table, title_text
from reaffirm.store.frontmatter import read_page

#: Their folder below the documentation.
IMAGES = "container-images/"


def images(plan: Plan) -> Iterator[SitePage]:
    """Yield the index of container images."""
    folder = IMAGES.rstrip("/")
    if not plan.has(folder):
        return
    uri = f"{folder}/index.md"
    heading, body = plan.readme(f"{plan.docs}/{folder}", uri)
    title = heading or SHELVES[folder]
    rows: list[tuple[str, ...]] = []
    for path in sorted((plan.root / plan.docs / folder).glob("*.md")):
        if path.name in ("README.md", "index.md"):
            continue
        page = read_page(path, shown=f"{plan.docs}/{folder}/{path.name}")
        name = first_heading(page.body)[0] or str(page.data.get("title", page.data.get("name", path.stem)))
        rows.append((f"[{inline(name)}]({path.name})",))
    parts = [f"{front_matter(title)}\n# {inline(title)}", body, table(("Page",), rows) if rows else ""]
    source = f"{plan.docs}/{folder}/README.md" if heading or body else ""
    yield SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n", source=source)


def with_image_head(markdown: str, meta: dict[str, Any]) -> str:
    """Return a page of this folder as it is shown; its title goes into ``meta``.

    Args:
        markdown: its text, below the front matter.
        meta: its front matter.
    """
    text = with_head(markdown, meta)
    meta.setdefault("title", title_text(str(meta.get("name", "Image"))))
    meta.pop("status", None)  # the theme takes a status for one of its own
    return text
