class WithAMark:
    pass


EntryClass = [WithAMark]
