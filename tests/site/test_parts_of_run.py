"""What a run's page says of cells that were not run, or not run again."""

from reaffirm.site.parts_of_run import cell_note, rows


def test_a_replayed_cell_says_whose_answers_it_shows() -> None:
    """On the page, too, nobody may take it for a fresh one."""
    said = cell_note({"reaffirm": {"replayed_from": "20261130T130237Z"}})
    assert said == "*Not run again: what this shows is what the run `20261130T130237Z` was answered.*"


def test_a_skipped_cell_says_why() -> None:
    """A cell without output would look as if it had nothing to say."""
    assert cell_note({"reaffirm": {"skipped": "before --from launch"}}) == "*Not run: before --from launch.*"


def test_other_cells_say_nothing() -> None:
    """A published notebook may hold anything."""
    for metadata in (None, {}, {"reaffirm": None}, {"reaffirm": {}}, {"reaffirm": {"status": "killed"}}, []):
        assert cell_note(metadata) == ""


def test_the_head_of_the_page_names_both() -> None:
    """The first thing that is read."""
    about = {"resumed": {"run": "one", "step": "launch"}, "partial": {"skipped": ["a", "b"]}}
    assert rows(about) == [
        ("Taken up", "from the run `one`, whose answers it shows up to the step `launch`"),
        ("A part", "these steps were not run: `a`, `b`"),
    ]
    assert rows({"resumed": "damaged", "partial": 3}) == []
