# A registry of which a part cannot be read without running it.
_A: dict[str, tuple[str, str]] = {"AlphaForCausalLM": ("alpha", "AlphaForCausalLM")}
_B = {f"{name}ForCausalLM": ("b", name) for name in ("Beta", "Gamma")}
_A["AddedForCausalLM"] = ("added", "AddedForCausalLM")
_VLLM_MODELS = {**_A, **_B}
if nightly():
    _VLLM_MODELS.update(more())
