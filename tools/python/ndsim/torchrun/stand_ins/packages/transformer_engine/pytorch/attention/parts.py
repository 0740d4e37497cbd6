"""Queries, keys and values split from one tensor, without a copy in the backward pass."""

from __future__ import annotations

from typing import Any

import torch


def lies_as_one(parts: Any, dim: int) -> Any:
    """The tensor of which these are adjacent parts; None if they are not."""
    first = parts[0]
    if any(each.untyped_storage().data_ptr() != first.untyped_storage().data_ptr() for each in parts):
        return None
    at = first.storage_offset()
    for each in parts:
        if each.stride() != first.stride() or each.storage_offset() != at:
            return None
        at += each.shape[dim] * each.stride(dim)
    shape = list(first.shape)
    shape[dim] = sum(each.shape[dim] for each in parts)
    return first.as_strided(shape, first.stride(), first.storage_offset())


class _SplitAlongDim(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, mixed: Any, split_dim: int, split_size_or_sections: Any, squeeze: bool = False) -> Any:
        ctx.split_dim, ctx.squeeze = split_dim, squeeze
        parts = torch.split(mixed, split_size_or_sections, dim=split_dim)
        return tuple(part.squeeze(split_dim) if squeeze else part for part in parts)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        parts = [grad.unsqueeze(ctx.split_dim) for grad in grads] if ctx.squeeze else grads
        dim = ctx.split_dim % parts[0].dim()
        whole = lies_as_one(parts, dim)
        return torch.cat(parts, dim) if whole is None else whole, None, None, None
