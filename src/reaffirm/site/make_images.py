"""The pages of container images: their index, and the head of each page that somebody wrote."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.model.image import ContainerImage
from reaffirm.site.image_facts import names_in, probes
from reaffirm.site.image_index import images_index
from reaffirm.site.image_page import Uses, with_head
from reaffirm.site.navigation import SHELVES
from reaffirm.site.page import SitePage, anchor
from reaffirm.site.plan import Plan
from reaffirm.site.prose_words import first_heading
from reaffirm.site.text import cell, code, inline, title_text
from reaffirm.store.frontmatter import read_page
from reaffirm.store.images import read_image

#: Their folder below the documentation.
IMAGES = "container-images/"


def images(plan: Plan) -> Iterator[SitePage]:
    """Yield the index of container images."""
    folder = IMAGES.rstrip("/")
    if not plan.has(folder):
        return
    uri = f"{folder}/index.md"
    heading, body = plan.readme(f"{plan.docs}/{folder}", uri)
    found: list[ContainerImage] = []
    others: list[tuple[str, str]] = []
    for path in sorted((plan.root / plan.docs / folder).glob("*.md")):
        if path.name in ("README.md", "index.md") or path.name.startswith("_"):
            continue
        shown = f"{plan.docs}/{folder}/{path.name}"
        try:
            found.append(read_image(path, shown=shown))
        except DocumentError:
            page = read_page(path, shown=shown)
            name = first_heading(page.body)[0] or str(
                page.data.get("title", page.data.get("name", path.stem))
            )
            others.append((name, plan.map.resolve(path.name, source=shown, page=uri) or ""))
    yield images_index(
        found,
        {one.name: probes(plan.published.values(), one.name) for one in found},
        plan.runs,
        uri=uri,
        heading=heading or SHELVES[folder],
        introduction=body,
        others=others,
        source=f"{plan.docs}/{folder}/README.md" if heading or body else "",
    )


def with_image_head(plan: Plan, uri: str, markdown: str, meta: dict[str, Any]) -> str:
    """Return a page of this folder as it is shown; its title goes into ``meta``.

    Args:
        plan: the site's.
        uri: the page.
        markdown: its text, below the front matter.
        meta: its front matter.
    """
    name = str(meta.get("name", ""))
    path = f"{plan.docs}/{uri}"
    seen = probes(plan.published.values(), name) if name else ()
    uses = _uses(plan, name, posixpath.dirname(path)) if name else None
    text = with_head(markdown, meta, seen, uses, path)
    meta.setdefault("title", title_text(str(meta.get("name", "Image"))))
    meta.pop("status", None)  # the theme takes a status for one of its own
    return text


def _uses(plan: Plan, name: str, folder: str) -> Uses:
    """The runbooks whose text names the image, and the claims whose check asks a probe of it."""
    word = re.compile(rf"""["']{re.escape(name)}["']""")
    books = [
        f"[{code(book)}]({posixpath.relpath(f'{plan.runbooks}/{book}.py', folder)})"
        for book, source in plan.material.books.items()
        if word.search(source)
    ]
    claims = []
    for record in plan.found.records:
        for claim in record.claims:
            asked = [one.fact for one in claim.check.conditions] if claim.check else []
            if name in names_in(asked):
                link = f"[{cell(record.id)}]({posixpath.relpath(record.path, folder)}#{anchor(claim)})"
                claims.append(f"{link} {inline(claim.says).replace('|', '&#124;')}")
    return Uses(books, claims)
