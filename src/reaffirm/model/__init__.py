"""The nouns: frozen dataclasses and enums, no I/O."""
