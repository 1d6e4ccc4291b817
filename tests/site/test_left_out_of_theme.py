"""What the plugin leaves out of Material: files that no browser asks for, and blanks that nobody sees."""

from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.files import get_files

from reaffirm.cli.main import main
from reaffirm.site.blanks import around_article

_LUNR = "assets/javascripts/lunr"


def built(folder: Path, settings: str) -> set[str]:
    """Build a site of one page and return the files that it has."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs/index.md").write_text("# Home\n\n```\na\n\n\n   b\n```\n", encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"site_name: Toy\n{settings}", encoding="utf-8")
    config = load_config(str(folder / "mkdocs.yml"), site_dir=str(folder / "site"), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    site = folder / "site"
    return {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}


def languages(files: set[str]) -> set[str]:
    """Return the files for languages of the search."""
    return {one.removeprefix(f"{_LUNR}/") for one in files if one.startswith(_LUNR)}


_LOADED = {
    "": set(),
    "lang: en": set(),
    "lang: de": {"min/lunr.stemmer.support.min.js", "min/lunr.de.min.js"},
    "lang: [en, fr]": {f"min/lunr.{name}.min.js" for name in ("stemmer.support", "multi", "fr")},
    "lang: [de, ja, th]": {
        *(f"min/lunr.{name}.min.js" for name in ("stemmer.support", "multi", "de", "ja", "th")),
        "tinyseg.js",
        "wordcut.js",
    },
}


@pytest.mark.parametrize("given", _LOADED)
def test_the_search_has_the_files_of_its_languages(given: str, tmp_path: Path) -> None:
    """Search in German or Japanese would end with an error, or a site would carry languages of nobody."""
    files = built(
        tmp_path, f"theme: {{ name: material, font: false }}\nplugins: [search: {{ {given} }}, reaffirm]\n"
    )
    assert languages(files) == _LOADED[given]
    assert not [one for one in files if one.endswith(".map")]
    assert [one for one in files if one.startswith("assets/javascripts/workers/search")]


def test_a_language_of_the_theme_is_one_of_the_search(tmp_path: Path) -> None:
    """A site whose search follows its theme could not be searched."""
    files = built(
        tmp_path, "theme: { name: material, language: ja, font: false }\nplugins: [search, reaffirm]\n"
    )
    assert languages(files) == {"min/lunr.stemmer.support.min.js", "min/lunr.ja.min.js", "tinyseg.js"}


def test_what_the_site_brings_itself_is_published(tmp_path: Path) -> None:
    """Somebody's own map, or a script of the theme that somebody named, would be missing."""
    (tmp_path / "docs/assets/javascripts/lunr").mkdir(parents=True)
    own = {"assets/javascripts/lunr/own.js", "assets/own.js.map"}
    for name in own:
        (tmp_path / "docs" / name).write_text("{}", encoding="utf-8")
    named = f"{_LUNR}/wordcut.js"
    scripts = f"extra_javascript: [{named}]\n"
    files = built(
        tmp_path, f"theme: {{ name: material, font: false }}\nplugins: [search, reaffirm]\n{scripts}"
    )
    assert own | {named} <= files
    assert languages(files) == {"own.js", "wordcut.js"}


def test_templates_of_ones_own_may_load_what_they_like(tmp_path: Path) -> None:
    """A page that somebody changed would ask for a script that is not there."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/main.html").write_text('{% extends "base.html" %}', encoding="utf-8")
    files = built(
        tmp_path, "theme: { name: material, font: false, custom_dir: own }\nplugins: [search, reaffirm]\n"
    )
    assert "wordcut.js" in languages(files)
    assert not [one for one in files if one.endswith(".map")]


def test_another_theme_keeps_all_of_its_files(tmp_path: Path) -> None:
    """Its pages would be broken."""
    ours = built(tmp_path, "theme: readthedocs\nplugins: [search, reaffirm]\n")
    assert ours >= built(tmp_path, "theme: readthedocs\n")


def test_blanks_of_code_and_scripts_are_kept_and_others_are_one(tmp_path: Path) -> None:
    """Code on a page would be squeezed together, or a script would say something else."""
    code = "<pre>a\n\n   b\n</pre>"
    script = "<script>const a = `x\n\n   y`</script>"
    svg = "<svg><text>a\n\n  b</text></svg>"
    page = (
        f"<p>\n\n   x\n</p>\n\n{code}\n\n{script}{svg}\n  <article>\n\n\n{code}</article>\n\n\n<p>\n  \n</p>"
    )
    assert around_article(page) == (
        f"<p>\nx\n</p>\n{code}\n{script}{svg}\n<article>\n\n\n{code}</article>\n<p>\n</p>"
    )
    assert around_article("<p>\n\n\n</p>") == "<p>\n\n\n</p>"
    built(tmp_path, "theme: { name: material, font: false }\nplugins: [search, reaffirm]\n")
    text = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "\n\n\n   b\n" in text
    assert "\n\n" not in text.partition("<article")[0]
    assert "\n " not in text.partition("</article>")[2]


@pytest.mark.parametrize(
    ("settings", "records", "pruned"),
    [
        ("theme: material\n", 201, True),
        ("theme: { name: material, features: [toc.follow] }\n", 201, True),
        ("", 201, True),
        ("theme: material\n", 200, False),
        ("theme: material\nnav: [index.md]\n", 201, False),
        ("theme: { name: material, features: [navigation.expand] }\n", 201, False),
        ("theme: readthedocs\n", 201, False),
    ],
)
def test_pages_of_many_records_carry_their_own_part_of_the_navigation(
    settings: str, records: int, pruned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand pages would carry the whole menu; or a menu that somebody made would look otherwise."""
    for folder in ("docs", "adr"):
        (tmp_path / folder).mkdir()
    for number in range(1, records + 1):
        text = f"# {number}. Choice\n\n## Status\n\nAccepted\n\n## Context\n\nSome.\n\n## Decision\n\nThis.\n"
        (tmp_path / f"adr/{number:04}-choice.md").write_text(text, encoding="utf-8")
    (tmp_path / "docs/index.md").write_text("# Home\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: Toy\n{settings}plugins: [search, reaffirm]\n")
    config = load_config(str(tmp_path / "mkdocs.yml"), site_dir=str(tmp_path / "site"))
    config.plugins.on_startup(command="build", dirty=False)
    config = config.plugins.on_config(config)
    files = get_files(config)
    config.plugins.on_files(files, config=config)
    found = config.theme.get("features") or []
    assert ("navigation.prune" in found) is pruned
    assert "toc.follow" in found or "toc.follow" not in settings
    monkeypatch.chdir(tmp_path)
    assert main(["pages", "build/pages", "--settings", "other.yml"]) in (0, 1)
    other = load_config(str(tmp_path / "other.yml")).theme.get("features") or []
    assert ("navigation.prune" in other) is pruned
    assert other == found, "plain MkDocs builds the same pages"
