"""Makes and changes the files that people write: records, runbooks, pages. Their formatting stays."""
