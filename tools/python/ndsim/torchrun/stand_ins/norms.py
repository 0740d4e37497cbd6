"""Differentiable norms built from the kernels in `kernels/norms.py`."""

from __future__ import annotations

from typing import Any

import torch

from .kernels import norms


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Any, weight: Any, bias: Any, eps: float, zero_centered: bool) -> Any:
        result, mean, inverse = norms.layernorm_fwd(given, weight, bias, eps, zero_centered)
        ctx.save_for_backward(given, weight, mean, inverse)
        ctx.zero_centered = zero_centered
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        given, weight, mean, inverse = ctx.saved_tensors
        found = norms.layernorm_bwd(grads[0].contiguous(), given, mean, inverse, weight, ctx.zero_centered)
        return (*found, None, None)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Any, weight: Any, eps: float, zero_centered: bool) -> Any:
        result, inverse = norms.rmsnorm_fwd(given, weight, eps, zero_centered)
        ctx.save_for_backward(given, weight, inverse)
        ctx.zero_centered = zero_centered
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        given, weight, inverse = ctx.saved_tensors
        found = norms.rmsnorm_bwd(grads[0].contiguous(), given, inverse, weight, ctx.zero_centered)
        return (*found, None, None)


def layer_norm(given: Any, weight: Any, bias: Any, eps: float, zero_centered: bool = False) -> Any:
    return LayerNorm.apply(given, weight, bias, eps, zero_centered)


def rms_norm(given: Any, weight: Any, eps: float, zero_centered: bool = False) -> Any:
    return RMSNorm.apply(given, weight, eps, zero_centered)
