"""LayerNorm and RMSNorm with an optional residual added first: one kernel for each direction."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.refusals import refuse
from ndsim.torchrun.stand_ins.kernels import norms as kernels


class LayerNormFn(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        residual: torch.Tensor | None,
        eps: float,
        sum_type: torch.dtype | None,
        out_type: torch.dtype | None,
        rms: bool,
        zero_centered: bool,
        prenorm: bool,
    ) -> Any:
        rows = x.reshape(-1, x.shape[-1]).contiguous()
        with_residual = None if residual is None else residual.reshape(rows.shape).contiguous()
        y, total, mean, rstd = kernels.add_norm(
            rows, weight, bias, with_residual, eps, rms, zero_centered, sum_type, out_type
        )
        total = total if total.numel() else rows
        ctx.save_for_backward(total, weight, bias, mean, rstd)
        ctx.rms, ctx.zero_centered, ctx.x_type, ctx.shape = rms, zero_centered, x.dtype, x.shape
        ctx.has_residual = residual is not None
        return (y.view(x.shape), total.view(x.shape)) if prenorm else y.view(x.shape)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, *grad_sum: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        total, weight, bias, mean, rstd = ctx.saved_tensors
        flat = [each.reshape(total.shape).contiguous() for each in (grad, *grad_sum)]
        of_x, of_sum, of_weight, of_bias = kernels.add_norm_backward(
            flat[0], flat[1] if grad_sum else None, total, weight, bias, mean, rstd, ctx.rms, ctx.zero_centered, ctx.x_type
        )
        of_x = of_x.view(ctx.shape)
        of_residual = None
        if ctx.has_residual:
            of_residual = of_sum.view(ctx.shape) if of_sum.numel() else of_x
        return of_x, of_weight, None if bias is None else of_bias, of_residual, *6 * (None,)


def refuse_more(function: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None and value is not False:
            refuse(f"flash_attn's {function} with {name}", "the kernel that is priced has none")


def layer_norm_fn(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None = None,
    x1: torch.Tensor | None = None,
    weight1: torch.Tensor | None = None,
    bias1: torch.Tensor | None = None,
    eps: float = 1e-6,
    dropout_p: float = 0.0,
    rowscale: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    zero_centered_weight: bool = False,
    is_rms_norm: bool = False,
    return_dropout_mask: bool = False,
    out_dtype: torch.dtype | None = None,
    out: torch.Tensor | None = None,
    residual_out: torch.Tensor | None = None,
) -> Any:
    """The norm of x + residual; with prenorm, also that sum."""
    refuse_more(
        "layer_norm_fn",
        x1=x1,
        weight1=weight1,
        bias1=bias1,
        dropout_p=dropout_p or None,
        rowscale=rowscale,
        return_dropout_mask=return_dropout_mask,
        out=out,
        residual_out=residual_out,
    )
    sum_type = residual.dtype if residual is not None else torch.float32 if residual_in_fp32 else None
    return LayerNormFn.apply(
        x, weight, bias, residual, eps, sum_type, out_dtype, is_rms_norm, zero_centered_weight, prenorm
    )


def rms_norm_fn(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None = None,
    x1: torch.Tensor | None = None,
    weight1: torch.Tensor | None = None,
    bias1: torch.Tensor | None = None,
    eps: float = 1e-6,
    dropout_p: float = 0.0,
    rowscale: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    zero_centered_weight: bool = False,
    return_dropout_mask: bool = False,
    out_dtype: torch.dtype | None = None,
    out: torch.Tensor | None = None,
    residual_out: torch.Tensor | None = None,
) -> Any:
    return layer_norm_fn(
        x,
        weight,
        bias,
        residual,
        x1,
        weight1,
        bias1,
        eps,
        dropout_p,
        rowscale,
        prenorm,
        residual_in_fp32,
        zero_centered_weight,
        True,
        return_dropout_mask,
        out_dtype,
        out,
        residual_out,
    )


class RMSNorm(torch.nn.Module):
    def __init__(
        self,
        hidden_size: int,
        eps: float = 1e-5,
        dropout_p: float = 0.0,
        zero_centered_weight: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.eps, self.zero_centered_weight = eps, zero_centered_weight
        self.drop = torch.nn.Dropout(dropout_p) if dropout_p > 0 else None
        self.weight = torch.nn.Parameter(torch.empty(hidden_size, device=device, dtype=dtype))
        self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        (torch.nn.init.zeros_ if self.zero_centered_weight else torch.nn.init.ones_)(self.weight)

    def forward(
        self,
        x: torch.Tensor,
        residual: torch.Tensor | None = None,
        prenorm: bool = False,
        residual_in_fp32: bool = False,
    ) -> Any:
        return rms_norm_fn(
            x,
            self.weight,
            self.bias,
            residual=residual,
            eps=self.eps,
            dropout_p=self.drop.p if self.drop is not None and self.training else 0.0,
            prenorm=prenorm,
            residual_in_fp32=residual_in_fp32,
            zero_centered_weight=self.zero_centered_weight,
        )
