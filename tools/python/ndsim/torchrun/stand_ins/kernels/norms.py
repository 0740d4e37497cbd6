"""Layer and RMS norms in one kernel, and their gradients in two, as in TransformerEngine and Apex; and norms of a sum with a
residual, one kernel for each direction, as in Triton kernels.

Statistics are in single precision. With `zero_centered`, a weight of 0 scales by 1.
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
    """The normalised rows, their means, and the inverse of their standard deviations."""
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
    """The normalised rows, and the inverse of their root mean squares."""
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


@kernel(
    "add_norm(Tensor x, Tensor weight, Tensor? bias, Tensor? residual, float eps, bool rms, bool zero_centered, "
    "ScalarType? sum_type, ScalarType? out_type) -> (Tensor, Tensor, Tensor, Tensor)"
)
def add_norm(
    x: Any,
    weight: Any,
    bias: Any,
    residual: Any,
    eps: float,
    rms: bool,
    zero_centered: bool,
    sum_type: Any,
    out_type: Any,
) -> tuple[Any, Any, Any, Any]:
    """The normalised rows of x, [rows, width]; the sum with the residual, empty if that is x itself; mean and 1 / deviation."""
    total = x.float() if residual is None else x.float() + residual.float()
    keeps_sum = residual is not None or (sum_type is not None and sum_type != x.dtype)
    kept = total.to(sum_type or x.dtype, copy=True) if keeps_sum else x.new_empty(0)
    mean = x.new_empty(0, dtype=torch.float32) if rms else total.mean(-1)
    centered = total if rms else total - mean.unsqueeze(-1)
    rstd = (centered.square().mean(-1) + eps).rsqrt()
    y = centered * rstd.unsqueeze(-1) * scale_of(weight, zero_centered)
    if bias is not None:
        y = y + bias.float()
    return y.to(out_type or x.dtype, copy=True), kept, mean, rstd


@kernel(
    "add_norm_backward(Tensor grad, Tensor? grad_sum, Tensor x, Tensor weight, Tensor? bias, Tensor mean, Tensor rstd, bool rms, "
    "bool zero_centered, ScalarType x_type) -> (Tensor, Tensor, Tensor, Tensor)"
)
def add_norm_backward(
    grad: Any,
    grad_sum: Any,
    x: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    rstd: Any,
    rms: bool,
    zero_centered: bool,
    x_type: Any,
) -> tuple[Any, Any, Any, Any]:
    """Gradients of the sum's operands, in x's type and, if the sum has another type, in the sum's; of the weight; of the bias."""
    g = grad.float()
    normed = (x.float() if rms else x.float() - mean.unsqueeze(-1)) * rstd.unsqueeze(-1)
    scaled = g * scale_of(weight, zero_centered)
    along = scaled - normed * (scaled * normed).mean(-1, keepdim=True)
    if not rms:
        along = along - scaled.mean(-1, keepdim=True)
    found = along * rstd.unsqueeze(-1)
    if grad_sum is not None:
        found = found + grad_sum.float()
    of_sum = found.to(x.dtype, copy=True) if x.dtype != x_type else x.new_empty(0)
    of_weight = (g * normed).sum(0).to(weight.dtype)
    of_bias = x.new_empty(0) if bias is None else g.sum(0).to(bias.dtype, copy=True)
    return found.to(x_type, copy=True), of_sum, of_weight, of_bias
