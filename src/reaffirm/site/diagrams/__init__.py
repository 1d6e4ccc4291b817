"""Diagrams of Mermaid, drawn in the reader's browser by files of the site itself."""
