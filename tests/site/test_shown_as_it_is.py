"""Records of others on a site: names of pages, dead links, pictures beside the records."""

from pathlib import Path

from reaffirm.model.record import Record, Status
from reaffirm.site.assets import Assets
from reaffirm.site.links import OnDisk, PageAnchors, SiteMap
from reaffirm.site.page_names import places, record_pages
from reaffirm.site.prose import rebuild


def _record(path: str, ident: str = "1", line: int = 1) -> Record:
    return Record(path, ident, "A title", Status.ACCEPTED, line=line)


def test_no_two_records_have_one_page() -> None:
    """One of two records with the same name would not be on the site."""
    records = [
        _record("docs/adr/0001-x.md"),
        _record("a/docs/adr/0001-x.md"),
        _record("a/docs/adr/0001-x.adoc"),
        _record("a/docs/adr/0001-X.MD"),
        _record("a/docs/adr/0002-y/index.md"),
        _record("a/docs/adr/many.md", "1", 3),
        _record("a/docs/adr/many.md", "2", 9),
        _record("b/a?\n[x](y)/docs/adr/../0001.md"),
        _record("docs/adr/index.md"),
        _record("docs/adr/template.md"),
    ]
    uris = record_pages(records)
    assert len({uri.casefold() for uri in uris.values()}) == len(records)
    assert uris["a/docs/adr/0001-x.md:1"] == "decisions/a/0001-x.md"
    assert uris["a/docs/adr/0002-y/index.md:1"] == "decisions/a/0002-y.md"
    assert uris["a/docs/adr/many.md:9"] == "decisions/a/many-2.md"
    for uri in uris.values():
        assert set(uri) & set("?[]() \n") == set()
        assert ".." not in uri.split("/")


def test_one_folder_needs_no_name_and_two_never_share_one() -> None:
    """Records of two packages would be mixed up in the index."""
    assert places([_record("doc/adr/0001.md")]) == {"doc/adr": ""}
    called = places([_record("x/docs/adr/1.md"), _record("x/doc/adr/1.md"), _record("y/adr/1.md")])
    assert called == {"x/docs/adr": "x/docs/adr", "x/doc/adr": "x/doc/adr", "y/adr": "y"}


def _map(root: Path) -> SiteMap:
    pages = {"docs/adr/0001-x.md": "decisions/0001-x.md", "docs/adr/0002-y.md": "decisions/0002-y.md"}
    anchors = {"decisions/0002-y.md": PageAnchors(("context",), ("old-name",))}
    return SiteMap(pages, "docs", "", OnDisk(root), False, anchors, Assets(root))


def test_a_dead_link_becomes_its_words_and_says_so(tmp_path: Path) -> None:
    """A reader would click into nothing, or not learn that something is missing."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("")
    site = _map(tmp_path)
    source, page = "docs/adr/0001-x.md", "decisions/0001-x.md"

    def shown(link: str) -> str:
        return rebuild(f"[w]({link})", site.resolver(source, page), gone=site.misser(source))

    assert shown("0002-y.md") == "[w](0002-y.md)"
    assert shown("0002-y.html") == "[w](0002-y.md)"
    assert shown("0002-y") == "[w](0002-y.md)"
    assert shown("0002-y.md#Context") == "[w](0002-y.md#context)"
    assert shown("0002-y.md#old-name") == "[w](0002-y.md)"
    assert shown("0002-y.md#nothing").startswith("[w](0002-y.md) <span")
    assert "section not there" in shown("0002-y.md#nothing")
    assert shown("0009-z.md") == 'w <span class="rf-gone" title="0009-z.md">not there</span>'
    assert shown("../../src/a.py") == "w"  # it is there, and no page
    assert shown("../../../elsewhere/x.md") == "w"  # nobody can know
    assert shown("/pages/of/their/site") == "w"
    assert shown("https://example.org/") == "[w](https://example.org/)"
    assert "<script" not in shown('9"><script>alert(1)</script>.md')


def test_pictures_beside_records_are_taken_in_when_harmless(tmp_path: Path) -> None:
    """A diagram would be missing, or a picture that runs something would be published."""
    folder = tmp_path / "packages/a/adr"
    folder.mkdir(parents=True)
    (folder / "good.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "bad.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    (tmp_path.parent / "outside.png").write_bytes(b"x")
    (folder / "link.png").symlink_to(tmp_path.parent / "outside.png")
    assets = Assets(tmp_path)
    assert assets.get("packages/a/adr/good.svg") == "decisions/files/packages/a/adr/good.svg"
    for path in ("packages/a/adr/bad.svg", "packages/a/adr/link.png", "../outside.png", "no.png", "a\0.png"):
        assert assets.get(path) == ""
    assert [uri for uri, _ in assets.found()] == ["decisions/files/packages/a/adr/good.svg"]


def test_headings_have_the_ids_that_forges_give_them() -> None:
    """Links to sections that work on the forge would end at the top of a page."""
    text = rebuild("## Pros & Cons\n\n## Pros & Cons\n\n## taken", lambda _: None, reserved={"taken"})
    assert [line.split("{ #")[1] for line in text.split("\n") if line] == [
        "pros--cons }",
        "pros--cons-1 }",
        "taken-1 }",
    ]
