"""Layer and RMS norms."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.norms import layer_norm, rms_norm


class _Norm(torch.nn.Module):
    """Common base of both norms."""

    has_bias = True

    def __init__(
        self,
        normalized_shape: Any = None,
        eps: float = 1e-5,
        sequence_parallel: bool = False,
        params_dtype: torch.dtype | None = None,
        zero_centered_gamma: bool = False,
        device: Any = "cuda",
        hidden_size: int | None = None,
        dtype: torch.dtype | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        shape = hidden_size if normalized_shape is None else normalized_shape
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        kind = params_dtype or dtype or torch.get_default_dtype()
        self.eps = eps
        self.zero_centered_gamma = zero_centered_gamma
        self.sequence_parallel = sequence_parallel
        self.weight = torch.nn.Parameter(torch.empty(shape, dtype=kind, device=device))
        if self.has_bias:
            self.bias = torch.nn.Parameter(torch.empty(shape, dtype=kind, device=device))
        self.reset_parameters()

    def reset_parameters(self, defer_init: bool | None = None) -> None:
        with torch.no_grad():
            self.weight.fill_(0.0 if self.zero_centered_gamma else 1.0)
            if self.has_bias:
                self.bias.zero_()
        for parameter in self.parameters(recurse=False):
            setattr(parameter, "sequence_parallel", self.sequence_parallel)  # noqa: B010


class LayerNorm(_Norm):
    def forward(self, given: Any) -> Any:
        return layer_norm(given, self.weight, self.bias, self.eps, self.zero_centered_gamma)


class RMSNorm(_Norm):
    has_bias = False

    def forward(self, given: Any) -> Any:
        return rms_norm(given, self.weight, self.eps, self.zero_centered_gamma)
