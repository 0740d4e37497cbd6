"""One call of FlashAttention through any interface: its mask and scores, forward and backward.

Queries, keys and values are [sequences, tokens, heads, width], or, for packed sequences, [tokens, heads, width] with the start of
each sequence. ATen has the kernel of FlashAttention 2. Capped or biased scores, gradients written into the caller's memory, and
FlashAttention 3 are kernels of ndsim.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from ..refusals import refuse
from .kernels import flash_attention as kernels

WIDEST_HEAD = 256


@dataclasses.dataclass(frozen=True)
class Packed:
    """Starts of packed sequences, and the longest lengths."""

    starts: torch.Tensor
    key_starts: torch.Tensor
    longest: int
    longest_keys: int


@dataclasses.dataclass(frozen=True)
class How:
    causal: bool = False
    window: tuple[int, int] = (-1, -1)
    scale: float | None = None
    dropout: float = 0.0
    softcap: float = 0.0
    slopes: torch.Tensor | None = None
    packed: Packed | None = None
    version: int = 2

    @property
    def is_atens(self) -> bool:
        return self.softcap == 0 and self.slopes is None and self.version == 2

    def rows(self, query: torch.Tensor, key: torch.Tensor) -> tuple[Any, Any, int, int]:
        """The kernel arguments that locate the rows."""
        if self.packed is None:
            return None, None, query.shape[1], key.shape[1]
        return self.packed.starts, self.packed.key_starts, self.packed.longest, self.packed.longest_keys

    def seen(self) -> dict[str, Any]:
        return {"scale": self.scale, "window_size_left": self.window[0], "window_size_right": self.window[1]}

    def seen_by_ours(self) -> dict[str, Any]:
        version = 0 if self.version == 2 else self.version
        return {**self.seen(), "softcap": self.softcap, "alibi_slopes": self.slopes, "flash_version": version}


def check(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, how: How) -> None:
    """Raise the errors of FlashAttention's own checks, without running anything on the GPU."""
    if query.dtype not in (torch.float16, torch.bfloat16):
        raise RuntimeError("FlashAttention only support fp16 and bf16 data type")
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError("query and key must have the same dtype")
    if query.device.type != "cuda":
        raise RuntimeError("Input tensor must be on CUDA device")
    if query.shape[-1] > WIDEST_HEAD:
        raise RuntimeError("FlashAttention forward only supports head dimension at most 256")
    if query.shape[-2] % key.shape[-2] != 0:
        raise RuntimeError("Number of heads in key/value must divide number of heads in query")
    if how.softcap > 0 and how.dropout > 0:
        raise RuntimeError("Softcapping does not support dropout for now")
    if how.slopes is not None and how.dropout > 0:
        refuse("flash_attn with ALiBi and dropout", "its random numbers are those of a kernel without a bias")


def by_aten(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, how: How) -> tuple[torch.Tensor, torch.Tensor]:
    """The result, differentiable by autograd, and the logsumexp of each row."""
    made = torch.ops.aten._flash_attention_forward(
        query, key, value, *how.rows(query, key), how.dropout, how.causal, False, **how.seen()
    )
    return made[0], made[1]


def forward(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, how: How) -> tuple[torch.Tensor, torch.Tensor]:
    if how.is_atens:
        return by_aten(query, key, value, how)
    return kernels.flash_attention_forward(query, key, value, *how.rows(query, key), how.causal, **how.seen_by_ours())


def forward_into(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, out: torch.Tensor, how: How) -> torch.Tensor:
    """Writes the result into the caller's memory. Returns the logsumexp of each row."""
    rows = how.rows(query, key)
    sums: torch.Tensor = kernels.flash_attention_forward_into(query, key, value, out, *rows, how.causal, **how.seen_by_ours())
    return sums


def backward_into(
    gradient: torch.Tensor,
    made: tuple[torch.Tensor, ...],
    gradients: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    how: How,
) -> None:
    """Fill the gradients of queries, keys and values. `made`: these three, the result, the logsumexp of each row."""
    rows = how.rows(made[0], made[1])
    kernels.flash_attention_backward(gradient, *made, *gradients, *rows, how.causal, **how.seen_by_ours())


def three_of(tensors: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """Queries, keys and values as views, given all three or the last two packed into one tensor."""
    if len(tensors) == 1:
        return tensors[0].unbind(-3)
    if len(tensors) == 2:
        return tensors[0], *tensors[1].unbind(-3)
    return tensors


class Attention(torch.autograd.Function):
    """Attention that is one kernel and writes its gradients to where they belong."""

    @staticmethod
    def forward(ctx: Any, how: How, *tensors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        result, sums = forward(*three_of(tensors), how)
        ctx.save_for_backward(*tensors, result, sums)
        ctx.how = how
        ctx.mark_non_differentiable(sums)
        return result, sums

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> tuple[torch.Tensor | None, ...]:
        *tensors, result, sums = ctx.saved_tensors
        found = tuple(torch.empty_like(each) for each in tensors)
        backward_into(gradient.contiguous(), (*three_of(tuple(tensors)), result, sums), three_of(found), ctx.how)
        return None, *found


def with_last_in_a_row(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.stride(-1) == 1 else tensor.contiguous()


def attend(tensors: tuple[torch.Tensor, ...], how: How) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of queries, keys and values, separate or packed."""
    tensors = tuple(with_last_in_a_row(each) for each in tensors)
    three = three_of(tensors)
    check(three[0], three[1], three[2], how)
    # ATen keeps track of dropout's random numbers.
    if how.dropout > 0 or (how.is_atens and len(tensors) == 3):
        return by_aten(three[0], three[1], three[2], how)
    return Attention.apply(how, *tensors)
