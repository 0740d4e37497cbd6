"""Layer and RMS norms in one kernel, and their gradients in two: those of TransformerEngine and Apex.

Statistics are in single precision. Where `zero_centered` is set, a weight of 0 scales by 1.
"""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


def scale_of(weight: Tensor, zero_centered: bool) -> Tensor:
    return weight.float() + 1 if zero_centered else weight.float()


@kernel("layernorm_fwd(Tensor input, Tensor weight, Tensor bias, float eps, bool zero_centered) -> (Tensor, Tensor, Tensor)")
def layernorm_fwd(given: Tensor, weight: Tensor, bias: Tensor, eps: float, zero_centered: bool) -> tuple[Tensor, ...]:
    """The norm of each row, its mean, and the inverse of its deviation."""
    rows = given.float()
    scale = scale_of(weight, zero_centered)
    result, mean, inverse = torch.native_layer_norm(rows, weight.shape, scale, bias.float(), eps)
    return result.to(weight.dtype), mean.flatten(), inverse.flatten()


@kernel(
    "layernorm_bwd(Tensor grad, Tensor input, Tensor mean, Tensor inverse, Tensor weight, bool zero_centered) "
    "-> (Tensor, Tensor, Tensor)"
)
def layernorm_bwd(
    grad: Tensor, given: Tensor, mean: Tensor, inverse: Tensor, weight: Tensor, zero_centered: bool
) -> tuple[Tensor, ...]:
    """The gradients of input, weight and bias."""
    of_rows = (*given.shape[:-1], 1)
    of_input, of_weight, of_bias = torch.ops.aten.native_layer_norm_backward(
        grad.float(),
        given.float(),
        weight.shape,
        mean.view(of_rows),
        inverse.view(of_rows),
        scale_of(weight, zero_centered),
        torch.zeros_like(weight, dtype=torch.float32),
        [True, True, True],
    )
    return of_input.to(given.dtype), of_weight.to(weight.dtype), of_bias.to(weight.dtype)


@kernel("rmsnorm_fwd(Tensor input, Tensor weight, float eps, bool zero_centered) -> (Tensor, Tensor)")
def rmsnorm_fwd(given: Tensor, weight: Tensor, eps: float, zero_centered: bool) -> tuple[Tensor, Tensor]:
    """The norm of each row, and the inverse of its root mean square."""
    rows = given.float()
    inverse = (rows.square().mean(-1, keepdim=True) + eps).rsqrt()
    return (rows * inverse * scale_of(weight, zero_centered)).to(weight.dtype), inverse.flatten()


@kernel("rmsnorm_bwd(Tensor grad, Tensor input, Tensor inverse, Tensor weight, bool zero_centered) -> (Tensor, Tensor)")
def rmsnorm_bwd(
    grad: Tensor, given: Tensor, inverse: Tensor, weight: Tensor, zero_centered: bool
) -> tuple[Tensor, Tensor]:
    """The gradients of input and weight."""
    inverse = inverse.view(*given.shape[:-1], 1)
    normal = given.float() * inverse
    scaled = grad.float() * scale_of(weight, zero_centered)
    of_input = inverse * (scaled - normal * (scaled * normal).mean(-1, keepdim=True))
    of_weight = (grad.float() * normal).reshape(-1, weight.numel()).sum(0)
    return of_input.to(given.dtype), of_weight.to(weight.dtype).view(weight.shape)
