"""The head of a page that is not in the navigation: the theme gives it the room of the sidebar."""

from reaffirm.site.text import front_matter


def wide_front_matter(title: str, *, searched: bool = True) -> str:
    """Return the head of such a page; what repeats other pages is not ``searched``."""
    head = front_matter(title).removesuffix("---\n")
    more = "" if searched else "search:\n  exclude: true\n"
    return f"{head}hide:\n  - navigation\n{more}---\n"
