class Qwen3_5MoeForConditionalGeneration:
    pass


class Qwen3_5ForConditionalGeneration:
    pass


class NotAnEntry:
    pass


EntryClass = [
    Qwen3_5MoeForConditionalGeneration,
    Qwen3_5ForConditionalGeneration,
]
