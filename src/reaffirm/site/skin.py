"""What a site gets that says nothing about its looks: a theme, and the extensions that pages of ours need."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from mkdocs.plugins import get_plugins
from mkdocs.theme import Theme
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

# Each with what does the same work in other people's settings.
_NEEDED = {
    "admonition": (),
    "attr_list": ("extra", "markdown.extensions.extra", "pymdownx.extra"),
    "tables": ("extra", "markdown.extensions.extra", "pymdownx.extra"),
    "pymdownx.details": (),
    "pymdownx.highlight": ("codehilite", "markdown.extensions.codehilite"),
    "pymdownx.superfences": ("pymdownx.extra",),
}
_PALETTE = [
    {
        "media": f"(prefers-color-scheme: {name})",
        "scheme": scheme,
        "primary": "blue grey",
        "accent": "teal",
        "toggle": {"icon": f"material/weather-{icon}", "name": other},
    }
    for name, scheme, icon, other in (
        ("light", "default", "night", "Dark"),
        ("dark", "slate", "sunny", "Light"),
    )
]
_FEATURES = ["navigation.indexes", "navigation.top", "content.code.copy", "search.highlight", "toc.follow"]
#: Of so many records that are in no navigation each page carries only its own part of it.
MANY = 200
PRUNE = "navigation.prune"
#: The theme of a site that names none.
MATERIAL = {"name": "material", "font": False, "language": "en", "palette": _PALETTE, "features": _FEATURES}


def dress(config: Any) -> None:
    """Give a site Material without fonts from elsewhere, when its settings name no theme, and extensions.

    Args:
        config: the settings of MkDocs, read and checked.
    """
    if config.theme.name == "mkdocs" and not named(config.config_file_path, "theme"):
        config.theme = Theme(locale="en", **MATERIAL)
        _search(config)
    config.markdown_extensions += needed(set(config.markdown_extensions))


def needed(known: Collection[str]) -> list[str]:
    """Return the Markdown extensions that pages of ours need besides those that are there."""
    return [
        name
        for name, others in _NEEDED.items()
        if not {name, f"markdown.extensions.{name}", *others} & set(known)
    ]


def features(theme: str, given: Collection[str], *, nav: Any, records: int) -> list[str]:
    """Return the features of Material that a site has: with many records one more.

    Each page would carry the whole navigation. Where it is ours, a page of many carries its own part of it,
    and links to the others.

    Args:
        theme: the name of the theme.
        given: those that the settings name.
        nav: somebody's own navigation; ``None``: it is ours.
        records: how many pages of records are in no navigation.
    """
    wanted = theme == "material" and nav is None and records > MANY
    return [*given, PRUNE] if wanted and not {PRUNE, "navigation.expand"} & set(given) else list(given)


def loaded_elsewhere(config: Any) -> list[str]:
    """Return what a site loads from elsewhere by its settings.

    Args:
        config: the settings of MkDocs, read and checked.
    """
    found = [str(one) for one in (*config.extra_css, *config.extra_javascript) if "//" in str(one)]
    if config.theme.name == "material" and config.theme.get("font", True):
        found.append("the fonts of the theme")
    if (config.extra or {}).get("analytics"):
        found.append("extra.analytics")
    return found


def templates(theme: Any) -> Iterator[str]:
    """Yield the texts of a theme's templates, and of those that a site puts in their place."""
    for folder in theme.dirs:
        for path in sorted(Path(folder).rglob("*.html")):
            yield path.read_text(encoding="utf-8", errors="replace")


def _search(config: Any) -> None:
    """Let Material's own search take the place of MkDocs's, which was chosen before the theme was.

    Runs while the plugins are configured, before any of them: one that is taken out here never runs.
    """
    known, plugins = get_plugins(), config.plugins
    old = plugins.get("search")
    if old is None or "material/search" not in known:
        return
    for methods in plugins.events.values():
        methods[:] = [one for one in methods if getattr(one, "__self__", None) is not old]
    del plugins["search"]
    new = known["material/search"].load()()
    new.load_config({"lang": old.config["lang"]} if old.config.get("lang") else {}, config.config_file_path)
    plugins["material/search"] = new


def named(settings: str | None, key: str) -> bool:
    """Return whether a file of settings says something itself, be it what MkDocs would take anyway.

    Args:
        settings: the path of mkdocs.yml.
        key: such as ``theme``.
    """
    if not settings:
        return False
    with Path(settings).open("rb") as file:
        return bool(yaml_load(file, loader=get_yaml_loader()).get(key))
