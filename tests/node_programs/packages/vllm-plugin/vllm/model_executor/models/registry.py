_VLLM_MODELS = {"AlphaForCausalLM": ("alpha", "AlphaForCausalLM")} | {"BetaForCausalLM": ("beta", "B")}
