"""A front page for a site whose documentation has none: the questions, and the state of every decision."""

from collections.abc import Collection

from reaffirm.site.page_map import INDEX_URI, STILL_TRUE_URI
from reaffirm.site.state import State, overview

# What a reader comes with, what answers it, and the pages that can; the first that there is does.
_QUESTIONS = (
    ("What did we decide, and why?", "[All decisions]({page})", (INDEX_URI,)),
    ("Is it still true?", "[Every claim, with its evidence]({page})", (STILL_TRUE_URI,)),
    ("How do I do it?", "[The runbooks and their runs]({page})", ("runbooks/index.md", "runs/index.md")),
    ("What does this failure mean?", "[Failures, by what you see]({page})", ("failures/index.md",)),
)


def home_page(state: State, pages: Collection[str] = ()) -> str:
    """Return its Markdown without a title.

    Args:
        state: of every decision.
        pages: the generated pages that there are; a question without one is not asked.
    """
    if not state.records:
        return overview(state)
    asked = [
        (question, answer, page)
        for question, answer, tried in _QUESTIONS
        if (page := next((one for one in tried if one in pages), ""))
    ]
    cards = [
        f'-   <span class="rf-ask">**{question}**<br>{answer.format(page=page)}</span>'
        for question, answer, page in asked
    ]
    if len(cards) < 2:  # with records alone, the list below is the answer
        cards = []
    return "\n\n".join(part for part in ("\n".join(cards), overview(state)) if part)
