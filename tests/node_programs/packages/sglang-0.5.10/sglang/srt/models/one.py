import torch


class OneForCausalLM:
    pass


EntryClass = OneForCausalLM
