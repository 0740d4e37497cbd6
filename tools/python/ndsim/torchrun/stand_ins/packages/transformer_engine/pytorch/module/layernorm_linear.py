"""A norm followed by a linear layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from ndsim.torchrun.stand_ins.norms import layer_norm, rms_norm

from . import products
from .base import TransformerEngineBaseModule, activation_type


class NormOfInput:
    """The norm at the start of some modules, which hold its parameters themselves."""

    layer_norm_weight: Any
    layer_norm_bias: Any

    def new_norm(self, width: int, normalization: str, eps: float, zero_centered: bool, dtype: Any, device: Any) -> None:
        self.normalization = normalization
        self.eps = eps
        self.zero_centered_gamma = zero_centered
        first = torch.zeros if zero_centered else torch.ones
        self.layer_norm_weight = torch.nn.Parameter(first(width, dtype=dtype, device=device))
        self.layer_norm_bias = None
        if normalization == "LayerNorm":
            self.layer_norm_bias = torch.nn.Parameter(torch.zeros(width, dtype=dtype, device=device))
        for parameter in (self.layer_norm_weight, self.layer_norm_bias):
            if parameter is not None:
                parameter.sequence_parallel = getattr(self, "sequence_parallel", False)

    def norm(self, given: Any) -> Any:
        if self.layer_norm_bias is None:
            return rms_norm(given, self.layer_norm_weight, self.eps, self.zero_centered_gamma)
        return layer_norm(given, self.layer_norm_weight, self.layer_norm_bias, self.eps, self.zero_centered_gamma)


class LayerNormLinear(NormOfInput, TransformerEngineBaseModule):
    """Linear(norm(x))."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        eps: float = 1e-5,
        sequence_parallel: bool = False,
        fuse_wgrad_accumulation: bool = False,
        tp_group: Any = None,
        tp_size: int = 1,
        get_rng_state_tracker: Callable[[], Any] | None = None,
        rng_tracker_name: str | None = None,
        init_method: Callable[[Any], Any] | None = None,
        bias: bool = True,
        normalization: str = "LayerNorm",
        return_bias: bool = False,
        params_dtype: torch.dtype | None = None,
        parallel_mode: str | None = None,
        return_layernorm_output: bool = False,
        return_layernorm_output_gathered: bool = False,
        parameters_split: Any = None,
        zero_centered_gamma: bool = False,
        device: Any = "cuda",
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.refuse_options(settings)
        self.be_parallel(parallel_mode, sequence_parallel, tp_group, tp_size, get_rng_state_tracker, rng_tracker_name)
        self.in_features = in_features // self.tp_size if parallel_mode == "row" else in_features
        self.out_features = out_features // self.tp_size if parallel_mode == "column" else out_features
        self.fuse_wgrad_accumulation = fuse_wgrad_accumulation
        self.use_bias = bias
        self.return_bias = return_bias
        self.apply_bias = bias and not return_bias
        self.return_layernorm_output = return_layernorm_output
        dtype = params_dtype or torch.get_default_dtype()
        self.new_norm(in_features, normalization, eps, zero_centered_gamma, dtype, device)
        self.new_weight("weight", self.out_features, self.in_features, dtype, device, init_method, parallel_mode)
        if bias:
            self.new_bias("bias", self.out_features, dtype, device, parallel_mode)
        else:
            self.bias = torch.empty(0, dtype=dtype, device=device)

    def forward(self, inp: Any, is_first_microbatch: bool | None = None, **settings: Any) -> Any:
        kind = activation_type(inp)
        normal = self.norm(inp)
        bias = self.bias if self.apply_bias else None
        out = products.linear(normal, self.weight, bias, kind, self.way("weight", self.parallel_mode, is_first_microbatch))
        made = [out]
        if self.return_bias:
            made.append(self.bias.to(out.dtype))
        if self.return_layernorm_output:
            made.append(normal)
        return tuple(made) if len(made) > 1 else out
