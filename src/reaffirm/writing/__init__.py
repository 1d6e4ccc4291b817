"""Makes and changes the files that people write: records, runbooks, pages. Nothing is guessed, formatting stays."""
