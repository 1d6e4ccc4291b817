# A specimen of our own in the shape of vLLM 0.14: literals, one comprehension that only picks, spreads.
import torch.nn as nn

_TEXT_GENERATION_MODELS = {
    "AlphaForCausalLM": ("alpha", "AlphaForCausalLM"),
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
}
_EMBEDDING_MODELS = {
    "AlphaModel": ("alpha", "AlphaModel"),
    **{k: (mod, arch) for k, (mod, arch) in _TEXT_GENERATION_MODELS.items() if arch == "LlamaForCausalLM"},
}
_MULTIMODAL_MODELS = {
    "ColQwen3_5": ("colqwen3_5", "ColQwen3_5Model"),
    "Qwen3NextForCausalLM": ("qwen3_next", "Qwen3NextForCausalLM"),
}
_TRANSFORMERS_BACKEND_MODELS = {
    "TransformersForCausalLM": ("transformers", "TransformersForCausalLM"),
}
_VLLM_MODELS = {
    **_TEXT_GENERATION_MODELS,
    **_EMBEDDING_MODELS,
    **_MULTIMODAL_MODELS,
    **_TRANSFORMERS_BACKEND_MODELS,
}
_PREVIOUSLY_SUPPORTED_MODELS = {"GoneForCausalLM": "0.10.2"}
