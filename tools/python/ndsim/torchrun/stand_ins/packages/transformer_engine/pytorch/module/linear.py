"""A linear layer, whole or split over ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from . import products
from .base import TransformerEngineBaseModule, activation_type


class Linear(TransformerEngineBaseModule):
    """y = x A^T + b; with parallel_mode "column" or "row" each rank has a part of A."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        sequence_parallel: bool = False,
        fuse_wgrad_accumulation: bool = False,
        tp_group: Any = None,
        tp_size: int = 1,
        get_rng_state_tracker: Callable[[], Any] | None = None,
        rng_tracker_name: str | None = None,
        init_method: Callable[[Any], Any] | None = None,
        bias: bool = True,
        return_bias: bool = False,
        params_dtype: torch.dtype | None = None,
        parallel_mode: str | None = None,
        parameters_split: Any = None,
        device: Any = "cuda",
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.refuse_options({**settings, "parameters_split": parameters_split} if parameters_split else settings)
        self.be_parallel(parallel_mode, sequence_parallel, tp_group, tp_size, get_rng_state_tracker, rng_tracker_name)
        self.in_features = in_features // self.tp_size if parallel_mode == "row" else in_features
        self.out_features = out_features // self.tp_size if parallel_mode == "column" else out_features
        self.fuse_wgrad_accumulation = fuse_wgrad_accumulation
        self.use_bias = bias
        self.return_bias = return_bias
        self.apply_bias = bias and not return_bias
        dtype = params_dtype or torch.get_default_dtype()
        self.new_weight("weight", self.out_features, self.in_features, dtype, device, init_method, parallel_mode)
        if bias:
            self.new_bias("bias", self.out_features, dtype, device, parallel_mode)
        else:
            self.bias = torch.empty(0, dtype=dtype, device=device)

    def forward(self, inp: Any, is_first_microbatch: bool | None = None, **settings: Any) -> Any:
        bias = self.bias if self.apply_bias else None
        out = products.linear(inp, self.weight, bias, activation_type(inp), self.way("weight", self.parallel_mode, is_first_microbatch))
        return (out, self.bias.to(out.dtype)) if self.return_bias else out
