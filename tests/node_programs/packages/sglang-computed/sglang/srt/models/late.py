class LateForCausalLM:
    pass


if hasattr(object, "x"):
    EntryClass = LateForCausalLM
