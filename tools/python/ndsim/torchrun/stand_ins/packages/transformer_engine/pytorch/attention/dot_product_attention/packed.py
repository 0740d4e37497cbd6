"""Attention of packed sequences: [tokens, heads, width]."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten


class Packed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Any, key: Any, value: Any, starts: Any, lengths: Any, how: dict[str, Any]) -> Any:
        dropout, causal = how["dropout"], how["causal"]
        window = {"window_size_left": how["window"][0], "window_size_right": how["window"][1]}
        made = aten._flash_attention_forward(
            query, key, value, *starts, *lengths, dropout, causal, False, scale=how["scale"], **window
        )
        result, sums, seed, offset = made[:4]
        ctx.save_for_backward(query, key, value, result, sums, seed, offset, *starts)
        ctx.lengths, ctx.how, ctx.window = lengths, how, window
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        *tensors, seed, offset, first, second = ctx.saved_tensors
        how = ctx.how
        found = aten._flash_attention_backward(
            grads[0].contiguous(),
            *tensors,
            first,
            second,
            *ctx.lengths,
            how["dropout"],
            how["causal"],
            seed,
            offset,
            scale=how["scale"],
            **ctx.window,
        )
        return (*found, None, None, None)


def packed_attention(
    query: Any, key: Any, value: Any, starts: Any, key_starts: Any, most: int, most_keys: int, dropout: float, causal: bool, window: Any, scale: float
) -> Any:
    how = {"dropout": dropout, "causal": causal, "window": window, "scale": scale}
    return Packed.apply(query, key, value, (starts, key_starts), (most, most_keys), how)
