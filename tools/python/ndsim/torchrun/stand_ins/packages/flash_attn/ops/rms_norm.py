"""RMSNorm under the name of the older extension."""

from __future__ import annotations

from typing import Any

import torch

from .triton.layer_norm import rms_norm_fn


def rms_norm(x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> Any:
    return rms_norm_fn(x, weight, None, eps=epsilon)


def dropout_add_rms_norm(
    x0: torch.Tensor,
    residual: torch.Tensor | None,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    dropout_p: float,
    epsilon: float,
    rowscale: torch.Tensor | None = None,
    layerscale: torch.Tensor | None = None,
    prenorm: bool = False,
    residual_in_fp32: bool = False,
    return_dropout_mask: bool = False,
) -> Any:
    return rms_norm_fn(
        x0,
        weight,
        bias,
        residual,
        eps=epsilon,
        dropout_p=dropout_p,
        rowscale=rowscale if layerscale is None else layerscale,
        prenorm=prenorm,
        residual_in_fp32=residual_in_fp32,
        return_dropout_mask=return_dropout_mask,
    )


class RMSNorm(torch.nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-5, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(hidden_size, device=device, dtype=dtype))
        self.register_parameter("bias", None)

    def reset_parameters(self) -> None:
        torch.nn.init.ones_(self.weight)

    def forward(self, x: torch.Tensor) -> Any:
        return rms_norm(x, self.weight, self.eps)
