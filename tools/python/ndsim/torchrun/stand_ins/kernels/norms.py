"""LayerNorm and RMSNorm of a sum with a residual, as Triton kernels have them: one for each direction."""

from __future__ import annotations

import importlib
from typing import Any

from ..kernel import kernel

torch: Any = importlib.import_module("torch")


def scale_of(weight: Any, zero_centered: bool) -> Any:
    return weight.float() + 1 if zero_centered else weight.float()


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
    """The norm of the rows of x, [rows, width]; the sum with the residual, empty where that is x itself; mean and 1 / deviation."""
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
    """Of what was summed, as x is and, where the sum has another type, as the sum is; of the weight; of the bias."""
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
