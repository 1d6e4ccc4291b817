"""Makes the tiny model; runs inside the vLLM image as `python3 - FOLDER` (model.py sends it there).

The class is the real Qwen3_5MoeForConditionalGeneration, every layer is random from one seed, and the text it
writes is noise. One thing is shaped, because noise that never closes its reasoning would test nothing: the
output rows of 74 tokens are the input rows of the tokens they shall follow. From the newline that ends the
prompt a walk of 24 random words leads to </think>, and 48 more lead to the end of the turn. That holds with
temperature 0 on one host or two, whatever the prompt.
"""

import itertools
import json
import pathlib
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3_5MoeConfig, Qwen3_5MoeForConditionalGeneration

SEED = 20261130
REASONING, CONTENT = 24, 48
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"]
SPECIAL += ["<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"]
THINK = ["<think>", "</think>"]
SENTENCE = (
    "a decision record says what was chosen and why and how to find out whether that is still true today "
)
WORDS = SENTENCE + (
    "one host leads and another follows while the fabric carries every message between them both nodes "
    "wait until each queue has an address which its peer can reach silence tells nothing so measure "
    "before you name any cause rivals stay open evidence grows old numbers keep their date runs may "
    "fail again noise means noise here"
)
TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}{%- endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer trained on the sentences above."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=768, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([WORDS], trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    wrapped.add_tokens(THINK)
    wrapped.chat_template = TEMPLATE
    return wrapped


def config(tokens: PreTrainedTokenizerFast) -> Qwen3_5MoeConfig:
    """Every kind of layer of the real model, as small as the CPU kernels of vLLM allow."""
    number = tokens.convert_tokens_to_ids
    text = {
        "vocab_size": (len(tokens) + 63) // 64 * 64,
        "hidden_size": 128,
        "num_hidden_layers": 4,
        "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"],
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        # "Unexpected head dim size, 32" at the first token: the CPU kernel wants 128 (2026-11-30).
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 64,
        "shared_expert_intermediate_size": 64,
        "max_position_embeddings": 2048,
        "eos_token_id": number("<|im_end|>"),
        "pad_token_id": number("<|endoftext|>"),
        "tie_word_embeddings": False,
        "dtype": "bfloat16",
    }
    vision = {"depth": 1, "hidden_size": 64, "intermediate_size": 64, "num_heads": 2, "out_hidden_size": 128}
    return Qwen3_5MoeConfig(
        text_config=text,
        vision_config={**vision, "num_position_embeddings": 16},
        image_token_id=number("<|image_pad|>"),
        video_token_id=number("<|video_pad|>"),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
        tie_word_embeddings=False,
    )


def walk(tokens: PreTrainedTokenizerFast, random: torch.Generator) -> list[int]:
    """The tokens in the order in which the model writes them, after the newline that ends the prompt."""
    number = tokens.convert_tokens_to_ids
    words = sorted(
        index
        for piece, index in tokens.get_vocab().items()
        if piece.startswith("\u0120") and piece[1:].isalpha() and len(piece) > 3
    )
    order = [words[place] for place in torch.randperm(len(words), generator=random).tolist()]
    if len(order) < REASONING + CONTENT:
        raise SystemExit(f"only {len(order)} words in the vocabulary")
    reasoning, content = order[:REASONING], order[REASONING : REASONING + CONTENT]
    return [number("\u010a"), *reasoning, number("</think>"), *content, number("<|im_end|>")]


def main(folder: pathlib.Path) -> None:
    """Write the model folder."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    tokens = tokenizer()
    model = Qwen3_5MoeForConditionalGeneration(config(tokens))
    random = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        inward = model.get_input_embeddings().weight
        outward = model.get_output_embeddings().weight
        inward.normal_(generator=random)
        outward.normal_(std=0.01, generator=random)
        steps = walk(tokens, random)
        for here, there in itertools.pairwise(steps):
            outward[there] = inward[here]
    model.to(torch.bfloat16).save_pretrained(folder)
    tokens.save_pretrained(folder)
    (folder / "generation_config.json").write_text(
        json.dumps({"eos_token_id": tokens.convert_tokens_to_ids("<|im_end|>"), "do_sample": False}) + "\n"
    )
    count = sum(weight.numel() for weight in model.parameters())
    print(f"{count / 1e6:.2f} M parameters, {len(tokens)} tokens, seed {SEED}")


main(pathlib.Path(sys.argv[1]))
