"""Attention as one kernel: scaled_dot_product_attention without a mask and without dropout.

PyTorch 1.13 carries it out as several operators, which would hold the scores of all pairs of tokens. A GPU does it in one
kernel that keeps none of them, forward and backward; so it is charged, and so its memory counts. The numbers are those of
the operators. PyTorch 2.x has the function without the underscore: it is there in 1.13, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ..groups import data

Tensor = torch.Tensor


def plain(query: Tensor, key: Tensor, value: Tensor, is_causal: bool) -> Tensor:
    """Attention by its definition."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if is_causal:
        later = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril().logical_not()
        scores = scores.masked_fill(later, -math.inf)
    return scores.softmax(-1) @ value


class Kernels:
    """The kernels of one rank."""

    def __init__(self, rank: Any) -> None:
        self.rank = rank

    def forward(self, query: Tensor, key: Tensor, value: Tensor, is_causal: bool) -> Tensor:
        with self.unseen((query, key, value)):
            shape = (*query.shape[:-1], value.shape[-1])
            if self.is_hollow(query, key):
                found = torch.empty(shape, dtype=query.dtype)
            else:
                found = plain(query, key, value, is_causal).contiguous()
        self.charge([found], query, key, value, is_causal, False)
        return found

    def backward(self, gradient: Tensor, query: Tensor, key: Tensor, value: Tensor, is_causal: bool) -> tuple[Tensor, ...]:
        with self.unseen((gradient, query, key, value)):
            if self.is_hollow(query, key):
                found = tuple(torch.empty(each.shape, dtype=each.dtype) for each in (query, key, value))
            else:
                inputs = [each.detach().requires_grad_() for each in (query, key, value)]
                with torch.enable_grad():
                    output = plain(*inputs, is_causal)
                found = tuple(each.contiguous() for each in torch.autograd.grad(output, inputs, gradient))
        self.charge(found, query, key, value, is_causal, True)
        return found

    def unseen(self, tensors: Any) -> Any:
        for tensor in tensors:
            self.rank.pending.touch(tensor)
        return data.unseen()

    def is_hollow(self, query: Tensor, key: Tensor) -> bool:
        """Whether the scores would be large in a hollow run."""
        hollow = self.rank.hollow
        return hollow is not None and hollow.is_large(query.numel() // query.shape[-1] * key.shape[-2] * query.element_size())

    def charge(
        self, found: Any, query: Tensor, key: Tensor, value: Tensor, is_causal: bool, is_backward: bool
    ) -> None:
        rank = self.rank
        device = rank.storages.device_of(query)
        on_gpu = rank.storages.everything or device >= 0
        if rank.hollow is not None:
            if self.is_hollow(query, key) or any(map(rank.hollow.is_hollow, (query, key, value))):
                rank.hollow.mark(list(found))
        if not on_gpu:
            rank.device.pass_host(rank.prices.launch_picoseconds)
            return
        for tensor in found:
            rank.storages.add(tensor, max(device, 0))
        rank.operators.end_chains()
        label, picoseconds = rank.prices.attention(query, key, value, is_causal, is_backward)
        rank.device.kernel(rank.label(label), picoseconds)


class Attention(torch.autograd.Function):
    """One kernel each way."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, is_causal: bool, kernels: Kernels) -> Tensor:
        ctx.save_for_backward(query, key, value)
        ctx.is_causal, ctx.kernels = is_causal, kernels
        return kernels.forward(query, key, value, is_causal)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        return (*ctx.kernels.backward(gradients[0], *ctx.saved_tensors, ctx.is_causal), None, None)


def install(rank: Any) -> None:
    functional = torch.nn.functional
    kernels = Kernels(rank)
    real: Callable[..., Any] | None = getattr(functional, "_scaled_dot_product_attention", None)
    if real is None:
        return  # PyTorch 2.x has operators of its own for it, which have prices

    def private(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        need_attn_weights: bool = False,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        if attn_mask is not None or dropout_p > 0 or need_attn_weights:
            return real(query, key, value, attn_mask, dropout_p, need_attn_weights, is_causal)  # type: ignore[no-any-return]
        return Attention.apply(query, key, value, is_causal, kernels), None  # type: ignore[no-untyped-call]

    def public(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
    ) -> Tensor:
        return private(query, key, value, attn_mask, dropout_p, False, is_causal)[0]

    functional._scaled_dot_product_attention = private  # type: ignore[attr-defined]
    functional.scaled_dot_product_attention = public  # type: ignore[attr-defined]
