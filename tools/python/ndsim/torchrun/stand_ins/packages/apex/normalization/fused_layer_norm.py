"""Layer and RMS norms as functions and modules."""

from __future__ import annotations

import numbers
from typing import Any

import torch
from ndsim.torchrun.stand_ins.norms import layer_norm, rms_norm


class FusedLayerNormAffineFunction(torch.autograd.Function):
    """Called as FusedLayerNormAffineFunction.apply: wraps a function that has its own gradient."""

    @staticmethod
    def forward(ctx: Any, input: Any, weight: Any, bias: Any, normalized_shape: Any, eps: float, memory_efficient: bool = False) -> Any:
        raise NotImplementedError

    @classmethod
    def apply(cls, input: Any, weight: Any, bias: Any, normalized_shape: Any, eps: float, memory_efficient: bool = False) -> Any:
        return layer_norm(input, weight, bias, eps)


class FusedRMSNormAffineFunction(torch.autograd.Function):
    """Called as FusedRMSNormAffineFunction.apply."""

    @staticmethod
    def forward(ctx: Any, input: Any, weight: Any, normalized_shape: Any, eps: float, memory_efficient: bool = False) -> Any:
        raise NotImplementedError

    @classmethod
    def apply(cls, input: Any, weight: Any, normalized_shape: Any, eps: float, memory_efficient: bool = False) -> Any:
        return rms_norm(input, weight, eps)


def shape_of(normalized_shape: Any) -> torch.Size:
    return torch.Size((normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else normalized_shape)


class FusedLayerNorm(torch.nn.Module):
    """A layer norm over the last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, memory_efficient: bool = False
    ) -> None:
        super().__init__()
        self.normalized_shape = shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = torch.nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None
        self.bias = torch.nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine else None

    def reset_parameters(self) -> None:
        if self.weight is not None and self.bias is not None:
            torch.nn.init.ones_(self.weight)
            torch.nn.init.zeros_(self.bias)

    def forward(self, input: Any) -> Any:
        if self.weight is None:
            return torch.nn.functional.layer_norm(input, self.normalized_shape, eps=self.eps)
        return layer_norm(input, self.weight, self.bias, self.eps)


class FusedRMSNorm(torch.nn.Module):
    """An RMS norm over the last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, memory_efficient: bool = False
    ) -> None:
        super().__init__()
        self.normalized_shape = shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = torch.nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None

    def reset_parameters(self) -> None:
        if self.weight is not None:
            torch.nn.init.ones_(self.weight)

    def forward(self, input: Any) -> Any:
        if self.weight is None:
            return torch.nn.functional.rms_norm(input, list(self.normalized_shape), eps=self.eps)
        return rms_norm(input, self.weight, self.eps)


MixedFusedLayerNorm = FusedLayerNorm
MixedFusedRMSNorm = FusedRMSNorm
