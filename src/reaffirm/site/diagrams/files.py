"""Which files a site needs so that its Mermaid sources are drawn without asking anybody else."""

import re
from collections.abc import Iterable, Mapping
from importlib import resources

#: The script that pages load; it finds the others beside it.
SCRIPT = "assets/diagrams.js"
_FENCE = re.compile(
    r"^[ \t>]*(?:[-*+]|\d+[.)])?[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:mermaid\b|\{[^}\n]*\.mermaid\b)", re.M
)
_FILES = {
    SCRIPT: "diagrams/diagrams.js",
    "assets/mermaid/frame.html": "diagrams/frame.html",
    "assets/mermaid/frame.js": "diagrams/frame.js",
    "assets/mermaid/mermaid.min.js": "vendor/mermaid.min.js",
    "assets/mermaid/LICENSE.txt": "vendor/mermaid.LICENSE.txt",
}


def has_diagram(markdown: str) -> bool:
    """Whether a page holds the source of a diagram."""
    return "mermaid" in markdown and bool(_FENCE.search(markdown))


def diagram_files(pages: Iterable[str]) -> Mapping[str, str]:
    """Return the text of each file by its address; none when no page has a diagram.

    Args:
        pages: the Markdown of the site's pages.
    """
    if not any(has_diagram(page) for page in pages):
        return {}
    here = resources.files("reaffirm.site")
    return {uri: here.joinpath(name).read_text(encoding="utf-8") for uri, name in _FILES.items()}
