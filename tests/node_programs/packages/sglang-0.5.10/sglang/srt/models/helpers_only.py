# "EntryClass" is only spoken of here.
def load() -> None:
    pass
