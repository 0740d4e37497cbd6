"""Attention of [batch, heads, tokens, width]: cuDNN's kernel as in PyTorch, or separate operators if that kernel cannot."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten


def forward(query: Any, key: Any, value: Any, dropout: float, causal: bool, scale: float) -> tuple[Any, ...]:
    """The result, the logsumexp of scores, and the state of dropout for the backward pass."""
    made = aten._scaled_dot_product_cudnn_attention(query, key, value, None, True, dropout, causal, False, scale=scale)
    return made[0], made[1], made[6], made[7]


def backward(
    grad: Any, query: Any, key: Any, value: Any, result: Any, sums: Any, state: Any, dropout: float, causal: bool, scale: float
) -> tuple[Any, ...]:
    seed, offset = state
    sides = query.shape[2], key.shape[2]
    return aten._scaled_dot_product_cudnn_attention_backward(
        grad, query, key, value, result, sums, seed, offset, None, None, None, *sides, dropout, causal, scale=scale
    )


class Fused(torch.autograd.Function):
    """Attention as one kernel."""

    @staticmethod
    def forward(ctx: Any, query: Any, key: Any, value: Any, dropout: float, causal: bool, scale: float) -> Any:
        result, sums, seed, offset = forward(query, key, value, dropout, causal, scale)
        ctx.save_for_backward(query, key, value, result, sums, seed, offset)
        ctx.how = dropout, causal, scale
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        *tensors, seed, offset = ctx.saved_tensors
        return (*backward(grads[0], *tensors, (seed, offset), *ctx.how), None, None, None)


def hidden_keys(queries: int, keys: int, causal: bool, from_the_end: bool, window: tuple[int, int], device: Any) -> Any:
    """The mask of keys hidden from each query; None if each query sees all keys."""
    left, right = window
    if causal:
        right = 0
    if left < 0 and right < 0:
        return None
    own = torch.arange(queries, device=device).unsqueeze(1) + (keys - queries if from_the_end else 0)
    distance = torch.arange(keys, device=device).unsqueeze(0) - own
    hidden = torch.zeros(queries, keys, dtype=torch.bool, device=device)
    if left >= 0:
        hidden = hidden | (distance < -left)
    if right >= 0:
        hidden = hidden | (distance > right)
    return hidden


def in_parts(query: Any, key: Any, value: Any, dropout: float, hidden: Any, bias: Any, scale: float) -> Any:
    """Two matmuls with a softmax between them."""
    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = (each.repeat_interleave(groups, 1) for each in (key, value))
    scores = torch.matmul(query, key.transpose(-2, -1)) * scale
    if bias is not None:
        scores = scores + bias
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    shares = torch.softmax(scores, -1).to(value.dtype)
    return torch.matmul(torch.nn.functional.dropout(shares, dropout) if dropout else shares, value)
