"""The whole way through MkDocs: a toy project built as a site, and hostile input on it."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from article import Article
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError
from mkdocs.theme import Theme

_PROJECT = Path(__file__).parent / "specimens/project"


def built(project: Path, target: Path, **settings: object) -> Path:
    """Build a site as ``mkdocs build --strict`` does."""
    config = load_config(str(project / "mkdocs.yml"), site_dir=str(target), strict=True, **settings)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()
    return target


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The toy project as a site, on the day 2026-02-25."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1772000000")
        yield built(_PROJECT, tmp_path_factory.mktemp("site"))


def test_nothing_on_any_page_can_run(site: Path) -> None:
    """A log line could run code in the browser of whoever reads the site."""
    pages = list(site.rglob("index.html"))
    assert len(pages) == 15
    for page in pages:
        assert Article(page).dangers == [], page


def test_hostile_cells_make_no_headings_boxes_or_badges(site: Path) -> None:
    """A cell could dress up as a part of the page, such as a verdict."""
    article = Article(site / "runs/measure_latency/hostile/index.html")
    assert len(article.headings) == 8  # the title, five of the page, two of the notebook
    text = (site / "runs/measure_latency/hostile/index.html").read_text()
    assert "display:none" not in text
    assert '<svg class="md-overlay"' not in text
    assert 'class="admonition danger"' not in text
    assert "{{ 7*7 }}" in article.text


def test_the_board_shows_each_verdict_with_its_kind_and_date(site: Path) -> None:
    """The board would say less than the verdicts do."""
    text = " ".join(Article(site / "still-true/index.html").text.split())
    assert "5 claims: 1 unknown, 1 rehearsed, 1 affirmed, 2 told. As of 2026-02-25." in text
    assert "needs lab" in text
    assert "affirmed lab2026-02-01, run 2026-02-01-lab" in text
    assert "failed beside it: simulated 2026-02-03, run 2026-02-03-simulated" in text
    assert "reaffirm recheck 0001 --claim fast-enough" in text


def test_a_run_from_after_the_day_of_the_board_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A date in the future would make a run the newest one, and nobody would be told."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1769900000")  # 2026-01-31
    text = " ".join(Article(built(_PROJECT, tmp_path) / "still-true/index.html").text.split())
    assert "As of 2026-01-31. 2 runs are dated after that day and count for nothing here." in text
    assert "2026-02-03" not in text


def test_runs_have_a_place_of_their_own_in_the_navigation(site: Path) -> None:
    """The evidence could be found only by who knows that it is there."""
    assert 'href="runs/"' in (site / "index.html").read_text()


def test_a_record_links_to_the_run_behind_its_verdict(site: Path) -> None:
    """A verdict without its run is one more assertion."""
    html = (site / "decisions/0001-keep-the-cache/index.html").read_text()
    assert 'href="../../runs/measure_latency/2026-02-01-lab/#cell-' in html
    assert 'href="../../runbooks/measure_latency/"' in html
    assert 'href="../0002-no-cache/"' in html
    assert "a comment that nobody sees" not in html


def test_what_is_no_page_is_not_published_but_the_files_of_a_run_are(site: Path) -> None:
    """Stray files of the documentation folder would end up public."""
    assert not (site / "notes.toml").exists()
    folder = site / "runs/measure_latency/2026-02-01-lab"
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["index.html", "run.zip"]
    with ZipFile(folder / "run.zip") as archive:
        names = {name.rpartition("/")[2] for name in archive.namelist()}
    assert names >= {"notebook.ipynb", "facts.json", "provenance.json", "recording.jsonl"}


def test_the_same_sources_give_the_same_site(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could tell a change of the site from noise."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772000000")
    again = built(_PROJECT, tmp_path)
    for page in site.rglob("index.html"):
        assert (again / page.relative_to(site)).read_bytes() == page.read_bytes()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("adrs/0001-keep-the-cache.md", "../docs/index.md)", "../docs/gone.md)"),
        ("adrs/0001-keep-the-cache.md", "../docs/index.md)", "../docs/index.md#gone)"),
        ("adrs/0001-keep-the-cache.md", "needs: lab", "needs: laboratory"),
        (
            "adrs/0001-keep-the-cache.md",
            "runbook: measure_latency, fact: latency.cause",
            "runbook: measure_latenzy, fact: latency.cause",
        ),
        ("adrs/0001-keep-the-cache.md", "fact: latency.cause", "fact: latency.couse"),
        ("docs/container-images/toy.md", "status: made-up", "status: rumoured"),
        ("docs/container-images/toy.md", "platform:", "python: three\nplatform:"),
        ("docs/index.md", "../adrs/0001-keep-the-cache.md", "../adrs/0009-gone.md"),
        ("docs/runs/measure_latency/2026-02-01-lab/facts.json", '"kind": "lab"', '"kind": "real"'),
    ],
)
def test_strict_refuses(file: str, old: str, new: str, tmp_path: Path) -> None:
    """A dead link, a claim with a mistake or an edited run would be published in silence."""
    project = tmp_path / "project"
    shutil.copytree(_PROJECT, project)
    text = (project / file).read_text()
    assert old in text
    (project / file).write_text(text.replace(old, new))
    with pytest.raises(Abort, match="1 warning"):
        built(project, tmp_path / "site")


def test_the_pen_leads_to_the_true_source(tmp_path: Path) -> None:
    """Whoever wants to mend a page would be sent to a file that does not exist."""
    project = tmp_path / "project"
    shutil.copytree(_PROJECT, project)
    settings = (project / "mkdocs.yml").read_text()
    settings = settings.replace("palette:", "features: [content.action.edit], palette:")
    settings = settings.replace("strict_records: true", "strict_records: true, branch: trunk")
    (project / "mkdocs.yml").write_text(f"{settings}\nrepo_url: https://github.com/a/b\n")
    site = built(project, tmp_path / "site")
    where = "https://github.com/a/b/edit/trunk"
    for page, source in (
        ("index.html", "docs/index.md"),
        ("decisions/0001-keep-the-cache/index.html", "adrs/0001-keep-the-cache.md"),
        ("runbooks/measure_latency/index.html", "runbooks/measure_latency.py"),
        (
            "runs/measure_latency/2026-02-01-lab/index.html",
            "docs/runs/measure_latency/2026-02-01-lab/notebook.ipynb",
        ),
        ("runs/index.html", "docs/runs/README.md"),
        ("container-images/index.html", ""),
    ):
        found = re.findall(rf'href="({where}[^"]*)"', (site / page).read_text())
        assert found == ([f"{where}/{source}"] if source else []), page


def test_a_readme_is_the_index_of_its_folder(tmp_path: Path) -> None:
    """Links to folders of somebody's documentation would be dead."""
    project = tmp_path / "project"
    shutil.copytree(_PROJECT, project)
    (project / "docs/guide").mkdir()
    (project / "docs/guide/README.md").write_text("# Guide\n\n[home](../index.md), [self](README.md#guide)\n")
    page = project / "docs/index.md"
    page.write_text(page.read_text() + "\n[guide](guide/README.md), [its head](guide/README.md#guide)\n")
    record = project / "adrs/0002-no-cache.md"
    record.write_text(record.read_text() + "\n[guide](../docs/guide/README.md), [folder](../docs/guide)\n")
    site = built(project, tmp_path / "site")
    assert 'href="guide/#guide"' in (site / "index.html").read_text()
    assert (site / "decisions/0002-no-cache/index.html").read_text().count('href="../../guide/"') >= 2


def test_macros_are_refused_unless_pages_are_protected() -> None:
    """A log line could run code while the site is built."""
    from reaffirm.site.plugin import ReaffirmPlugin

    class Macros:
        """Stands for the plugin of that name."""

        def __init__(self, **config: bool) -> None:
            self.config = config

    class Settings:
        """Stands for the settings of a site."""

        def __init__(self, macros: Macros) -> None:
            self.plugins = {"macros": macros}
            self.extra_css: list[str] = []
            self.extra_javascript: list[str] = []
            self.theme = Theme("material")
            self.markdown_extensions: list[str] = []

    plugin = ReaffirmPlugin()
    plugin.load_config({})
    with pytest.raises(PluginError, match="render_by_default: false"):
        plugin.on_config(Settings(Macros()))
    assert plugin.on_config(Settings(Macros(render_by_default=False))).extra_css == ["assets/reaffirm.css"]
