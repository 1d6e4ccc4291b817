"""The foreign repositories as sites: three lines of configuration, and a strict build."""

import json
import re
import shutil
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from reaffirm.site.page_names import record_pages
from reaffirm.store.reading.collection import read_collection

_HERE = Path(__file__).parent
_HOSTILE = _HERE.parent / "hostile"
#: Programs; and a head that takes the parser of YAML seconds: the tests of the reader have it.
_LEFT_OUT = shutil.ignore_patterns("*.py", "__pycache__", "0001-yaml-flow.md")
_LINES = {
    "quayside": "site_name: quayside\ndocs_dir: doc\nplugins: [search, {reaffirm: {records: doc/adr}}]\n",
    "lumenfield": "site_name: lumenfield\ndocs_dir: docs\nplugins: [search, reaffirm]\n",
}


class Page(HTMLParser):
    """What a test asks of a built page: ids, links, words, and what is marked as missing."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.gone: list[str] = []
        self.text = ""
        self.title = ""
        self._in = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and links."""
        self._in = tag
        for name, value in attrs:
            if name == "id" and value:
                self.ids[value] += 1
            if name in ("href", "src") and value:
                self.links.append(value)
            if (name, value) == ("class", "rf-gone"):
                self.gone.append(dict(attrs).get("title") or "")

    def handle_data(self, data: str) -> None:
        """Keep what is seen."""
        if self._in == "h1":
            self.title += data
        self.text += data


def _built(root: Path, out: Path, settings: str) -> dict[str, Page]:
    """Build a site as ``mkdocs build --strict`` does and return its pages."""
    assert len(settings.splitlines()) == 3
    (root / "mkdocs.yml").write_text(settings, encoding="utf-8")
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(out), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return {path.relative_to(out).as_posix(): Page(path) for path in sorted(out.rglob("*.html"))}


@pytest.fixture(scope="module", params=list(_LINES))
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, dict[str, Page]]:
    """A repository's name, its site's folder, and the pages."""
    name = request.param
    root = tmp_path_factory.mktemp(name) / name
    shutil.copytree(_HERE / name, root)
    out = root.parent / "site"
    return name, out, _built(root, out, _LINES[name])


def test_every_record_has_one_page_with_its_title_and_status(site: tuple[str, Path, dict[str, Page]]) -> None:
    """A team would have to change its records before it sees them."""
    name, _, pages = site
    expected = json.loads((_HERE / f"{name}.expected.json").read_text(encoding="utf-8"))["records"]
    found = read_collection([_HERE / name], root=_HERE / name).records
    uris = record_pages(found)
    assert len(set(uris.values())) == len(found) == len(expected)
    by_path = {record.path: uris[record.key].removesuffix(".md") + "/index.html" for record in found}
    for record in expected:
        page = pages[by_path[record["path"]]]
        if record["title"]:
            assert _letters(record["title"]) in _letters(page.title), record["path"]
        status = record["status"] or ("" if record["status_raw"] else "no status")
        shown = record["status_raw"] if status == "other" else status
        assert (shown or "no status") in page.text, record["path"]
    mine = {path for path in pages if path.startswith("decisions/") and path != "decisions/index.html"}
    assert mine - {"decisions/template/index.html"} == set(by_path.values())
    assert not [path for path in pages if path.startswith("adr/")]


def test_ids_are_unique_and_links_lead_somewhere(site: tuple[str, Path, dict[str, Page]]) -> None:
    """A reader would click into nothing."""
    _, out, pages = site
    dead = []
    for path, page in pages.items():
        assert {one for one, times in page.ids.items() if times > 1} == set(), path
        if path == "404.html":
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (out / path).parent.joinpath(unquote(parts.path)).resolve() if parts.path else out / path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                dead.append((path, link))
            elif parts.fragment and target.suffix == ".html":
                there = pages[target.relative_to(out).as_posix()].ids
                if unquote(parts.fragment) not in there:
                    dead.append((path, link))
    assert dead == []


def test_what_is_not_there_is_said_and_listed(site: tuple[str, Path, dict[str, Page]]) -> None:
    """A dead link would look like a mistake of the site, or be hidden."""
    name, _, pages = site
    where = {"quayside": "0049-who-is-on-call", "lumenfield": "20210118-events-not-calls"}[name]
    page = pages[f"decisions/{where}/index.html"]
    assert len(page.gone) == 1
    assert "not there" in page.text
    assert "link-dead" in page.text
    assert re.search(r"\d findings? about this record", page.text)
    all_gone = sum(len(one.gone) for path, one in pages.items())
    assert all_gone >= 4


def test_the_index_tells_status_date_supersession_and_folder(site: tuple[str, Path, dict[str, Page]]) -> None:
    """Nobody finds one of eighty decisions in a list of titles."""
    name, _, pages = site
    index = pages["decisions/index.html"]
    assert "superseded by" in index.text
    if name == "lumenfield":
        assert "87 records" in index.text
        assert {f"folder-{n}" for n in range(1, 8)} <= set(index.ids)
    else:
        assert "86 records" in index.text
    # One entry in the navigation: with all records in it, each page would carry all the others.
    record = next(one for path, one in pages.items() if re.match(r"decisions/.*[^x]/index", path))
    assert len(record.links) < 80


def test_a_navigation_of_ones_own_and_records_as_the_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody's nav would name pages that are gone, or the folder of records would be published twice."""
    root = tmp_path / "quayside"
    shutil.copytree(_HERE / "quayside", root)
    nav = "nav: [{First: 0001-record-architecture-decisions.md}, {All: README.md}]\n"
    (root / "mkdocs.yml").write_text(f"site_name: q\ndocs_dir: doc/adr\nplugins: [reaffirm]\n{nav}")
    monkeypatch.chdir(tmp_path)  # the settings are named by a relative path
    build(load_config("quayside/mkdocs.yml", site_dir=str(tmp_path / "site"), strict=True))
    links = Page(tmp_path / "site/index.html").links
    assert "decisions/0001-record-architecture-decisions/" in links
    assert "decisions/" in links
    assert not (tmp_path / "site/0001-record-architecture-decisions").exists()


def test_bad_input_breaks_no_build(tmp_path: Path) -> None:
    """One bad file would keep a whole site from being built."""
    root = tmp_path / "hostile"
    shutil.copytree(_HOSTILE, root, symlinks=True, ignore=_LEFT_OUT)
    sys.path.append(str(_HOSTILE))
    from build import build as more

    for part in ("names", "links", "clones"):
        (root / f"made-{part}").mkdir()
        more(part, root / f"made-{part}")
    (root / "docs").mkdir()
    lines = "site_name: hostile\ndocs_dir: docs\nplugins: [reaffirm]\n"
    pages = _built(root, tmp_path / "site", lines)
    assert len(pages) > 20
    sys.path.append(str(_HERE.parent / "site"))
    from article import Article

    for path, page in pages.items():
        assert Article(tmp_path / "site" / path).dangers == [], path
        assert {one for one, times in page.ids.items() if times > 1} == set(), path


def test_a_projects_own_records_stay_strict(tmp_path: Path) -> None:
    """A project that keeps its records clean would not hear of a dead link."""
    root = tmp_path / "quayside"
    shutil.copytree(_HERE / "quayside", root)
    plugin = "plugins: [reaffirm: {records: doc/adr, strict_records: true}]"
    with pytest.raises(Abort, match="warnings"):
        _built(root, tmp_path / "site", f"site_name: quayside\ndocs_dir: doc\n{plugin}\n")


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()
