"""What a run's page says of cells that were not run, not run again, or came to no good end."""

from typing import Any

import pytest

from reaffirm.site.cells import cells_of
from reaffirm.site.parts_of_run import rows


def state_of(cell: dict[str, Any], ended: object = None) -> tuple[str, str]:
    """Return state and reason of the second of two cells of code."""
    one = {"cell_type": "code", "source": "steps.a()", "execution_count": 1, "metadata": {}, "outputs": []}
    two = one | cell
    found = cells_of({"cells": [one, two]}, ended)[1]
    return found.state, found.why


def test_a_replayed_cell_says_whose_answers_it_shows() -> None:
    """On the page, too, nobody may take it for a fresh one."""
    state, why = state_of({"metadata": {"reaffirm": {"replayed_from": "20261130T130237Z"}}})
    assert state == "replayed"
    assert why == "Not run again: what this shows is what the run `20261130T130237Z` was answered."


def test_a_skipped_cell_says_why() -> None:
    """A cell without output would look as if it had nothing to say."""
    assert state_of({"metadata": {"reaffirm": {"skipped": "before --from launch"}}}) == (
        "skipped",
        "Not run: before --from launch.",
    )


@pytest.mark.parametrize("word", ["killed", "timed out", "interrupted"])
def test_a_cell_that_was_stopped_says_how(word: str) -> None:
    """papermill calls such a cell completed; here nobody may believe that."""
    note = {"reaffirm": {"status": word, "why": "after 600 s"}, "papermill": {"status": "completed"}}
    assert state_of({"metadata": note}) == (word, "after 600 s")


def test_what_came_after_the_end_was_never_run() -> None:
    """Cells below a failure would look as if they had run and had nothing to show."""
    ended = {"how": "failed", "cell": 1}
    assert state_of({"execution_count": None}, ended)[0] == "never run"
    assert state_of({"metadata": {"papermill": {"status": "pending"}}})[0] == "never run"
    assert state_of({"execution_count": None}, {"how": "completed", "cell": None})[0] == ""
    assert state_of({"metadata": {"papermill": {"status": "running"}}})[0] == "not ended"


def test_a_cell_with_an_error_failed() -> None:
    """Whatever its metadata say."""
    error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
    assert state_of({"outputs": [error]})[0] == "failed"


def test_cells_are_counted_as_in_messages() -> None:
    """'failed at cell 5' would lead to another cell: the one of given values does not count."""
    given = {"cell_type": "code", "source": "x = 1", "metadata": {"tags": ["injected-parameters"]}}
    banner = {"cell_type": "markdown", "source": "!", "metadata": {"tags": ["papermill-error-cell-tag"]}}
    plain = {"cell_type": "code", "source": "x"}
    numbers = [(one.number, one.injected) for one in cells_of({"cells": [banner, plain, given, plain]})]
    assert numbers == [(1, False), (1, True), (2, False)]


def test_other_cells_say_nothing() -> None:
    """A published notebook may hold anything."""
    for metadata in (None, {}, {"reaffirm": None}, {"reaffirm": {}}, {"papermill": 3}, []):
        assert state_of({"metadata": metadata}) == ("", "")


def test_the_head_of_the_page_names_both() -> None:
    """The first thing that is read."""
    about = {"resumed": {"run": "one", "step": "launch"}, "partial": {"skipped": ["a", "b"]}}
    assert rows(about) == [
        ("Taken up", "from the run `one`, whose answers it shows up to the step `launch`"),
        ("A part", "these steps were not run: `a`, `b`"),
    ]
    assert rows({"resumed": "damaged", "partial": 3}) == []
