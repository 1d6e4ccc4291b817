"""Pages that are made on several processors are those that are made on one."""

import threading
from pathlib import Path

import pytest

from reaffirm.site.assets import Assets
from reaffirm.site.together import together


def test_the_order_is_kept_and_nothing_is_left_out() -> None:
    """Neighbours would be mixed up, or a record would have no page."""
    for processors in (1, 2, 3):
        for count in (0, 1, 2, 7, 30, 31):
            made = list(together(lambda n: n * n, count, chunk=4, processors=processors))
            assert made == [n * n for n in range(count)]


def test_pictures_get_the_addresses_that_they_get_one_after_the_other(tmp_path: Path) -> None:
    """Two pictures would have one address, and one of them would be shown for the other."""
    names = [f"{letter}{'ß' * n}.png" for n in range(1, 9) for letter in "ab"]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    found = []
    for processors in (1, 2):
        assets = Assets(tmp_path)
        pages = list(
            together(
                lambda n, a=assets: a.get(names[n]),  # type: ignore[misc]
                len(names),
                chunk=2,
                assets=assets,
                processors=processors,
            )
        )
        assert len({uri.casefold() for uri in pages}) == len(names)
        found.append((pages, dict(assets.found())))
    assert found[0] == found[1]


def test_an_error_is_the_error_of_the_page() -> None:
    """A build would end with words about processes."""

    def make(number: int) -> int:
        if number == 9:
            msg = "page nine"
            raise ValueError(msg)
        return number

    with pytest.raises(ValueError, match="page nine"):
        list(together(make, 20, chunk=2, processors=2))


def test_where_another_thread_runs_no_process_is_parted() -> None:
    """A preview could stand still for ever: a fork takes the locks of other threads with it."""
    import os

    here, end = os.getpid(), threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        assert set(together(lambda _: os.getpid(), 20, chunk=2, processors=2)) == {here}
    finally:
        end.set()
        other.join()
