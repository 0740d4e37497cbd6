"""Conversion between padded batches and packed sequences."""

from __future__ import annotations

import math
from typing import Any

import torch


class IndexFirstAxis(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(indices)
        ctx.rows, rest = input.shape[0], input.shape[1:]
        flat = input.reshape(input.shape[0], -1)
        return torch.gather(flat, 0, indices.unsqueeze(1).expand(-1, math.prod(rest))).reshape(-1, *rest)

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> tuple[torch.Tensor, None]:
        (indices,) = ctx.saved_tensors
        flat = grad_output.reshape(grad_output.shape[0], -1)
        grad_input = torch.zeros(ctx.rows, flat.shape[1], device=flat.device, dtype=flat.dtype)
        grad_input.scatter_(0, indices.unsqueeze(1).expand(-1, flat.shape[1]), flat)
        return grad_input.reshape(ctx.rows, *grad_output.shape[1:]), None


class IndexPutFirstAxis(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, indices: torch.Tensor, first_axis_dim: int) -> torch.Tensor:
        ctx.save_for_backward(indices)
        output = torch.zeros(first_axis_dim, *values.shape[1:], device=values.device, dtype=values.dtype)
        output[indices] = values
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (indices,) = ctx.saved_tensors
        return grad_output[indices], None, None


index_first_axis = IndexFirstAxis.apply
index_put_first_axis = IndexPutFirstAxis.apply


def unpad_input(
    hidden_states: torch.Tensor, attention_mask: torch.Tensor, unused_mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, torch.Tensor]:
    """The rows in use, their indices, the starts of sequences, the longest length, and the number used of each."""
    all_masks = attention_mask if unused_mask is None else attention_mask + unused_mask
    lengths = all_masks.sum(dim=-1, dtype=torch.int32)
    used = attention_mask.sum(dim=-1, dtype=torch.int32)
    indices = torch.nonzero(all_masks.flatten(), as_tuple=False).flatten()
    longest = lengths.max().item()
    starts = torch.nn.functional.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))
    rows = index_first_axis(hidden_states.flatten(0, 1), indices)
    return rows, indices, starts, longest, used


def pad_input(hidden_states: torch.Tensor, indices: torch.Tensor, batch: int, seqlen: int) -> torch.Tensor:
    return index_put_first_axis(hidden_states, indices, batch * seqlen).unflatten(0, (batch, seqlen))
