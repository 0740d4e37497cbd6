"""Attention in one kernel, by FlashAttention and by cuDNN, forward and backward."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from case import Case, drawn

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def attended(backend, backward, sequences, tokens, heads, key_heads, width, causal):
    query = drawn(sequences, heads, tokens, width, gradient=backward)
    key, value = (drawn(sequences, key_heads, tokens, width, gradient=backward) for _ in range(2))

    def forward():
        with sdpa_kernel(BACKENDS[backend]):
            return scaled_dot_product_attention(query, key, value, is_causal=causal, enable_gqa=key_heads < heads)

    if not backward:
        return [forward]
    result = forward()
    gradient = torch.randn_like(result)
    return [lambda: torch.autograd.grad(result, (query, key, value), gradient, retain_graph=True)]


def case(backend, backward, sequences, tokens, heads, key_heads, width, causal=True):
    name = f"{sequences} x {tokens} tokens, {heads} heads of {width}, {key_heads} of keys{'' if causal else ', unmasked'}"
    kind = "flash_backward" if backward else "flash_forward"
    sizes = {"sequences": sequences, "heads": heads, "head_dim": width, "tokens": tokens}
    if backend == "flash" and causal:
        sizes |= {"kind": kind, "precision": "bf16"}
    return Case(f"attention {backend}, {'backward' if backward else 'forward'}", name,
                lambda: attended(backend, backward, sequences, tokens, heads, key_heads, width, causal), sizes)  # fmt: skip


def shapes():
    for tokens in (1024, 2048, 4096, 8192, 16384, 32768):
        sequences = max(1, 8192 // tokens)
        yield sequences, tokens, 32, 8, 128
        yield 1, tokens, 8, 1, 128
        if tokens <= 16384:
            yield sequences, tokens, 32, 8, 64
            yield 1, tokens, 16, 16, 128
            yield 1, tokens, 12, 12, 64


def attention():
    for shape in shapes():
        for backend in BACKENDS:
            for backward in (False, True):
                yield case(backend, backward, *shape)
    for backend in BACKENDS:
        for backward in (False, True):
            yield case(backend, backward, 1, 4096, 16, 16, 128, False)
            yield case(backend, backward, 8, 1024, 16, 16, 64, False)
