"""Writes the golden pages anew. Look at the difference before you commit it."""

from pathlib import Path

from test_notebook_page import page_of

for golden in ("2026-02-01-lab", "2026-02-03-simulated", "hostile"):
    path = Path(__file__).parent / "golden" / f"{golden}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(page_of(golden), encoding="utf-8")
