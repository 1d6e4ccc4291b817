"""Records, runs and claims as Markdown, and the thin MkDocs skin over it."""
