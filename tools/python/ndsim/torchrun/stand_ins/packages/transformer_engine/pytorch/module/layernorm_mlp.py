"""A norm followed by two linear layers with an activation between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as functions

from . import products
from .base import TransformerEngineBaseModule, activation_type
from .layernorm_linear import NormOfInput


def gated(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def activate(given: Any) -> Any:
        gate, value = given.chunk(2, -1)
        return function(gate) * value

    return activate


def tanh_gelu(given: Any) -> Any:
    return functions.gelu(given, approximate="tanh")


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "gelu": tanh_gelu,
    "relu": functions.relu,
    "silu": functions.silu,
    "geglu": gated(tanh_gelu),
    "reglu": gated(functions.relu),
    "swiglu": gated(functions.silu),
}


class LayerNormMLP(NormOfInput, TransformerEngineBaseModule):
    """fc2(activation(fc1(norm(x)))); with several ranks, fc1 is split by columns and fc2 by rows."""

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        eps: float = 1e-5,
        sequence_parallel: bool = False,
        return_bias: bool = False,
        tp_group: Any = None,
        tp_size: int = 1,
        get_rng_state_tracker: Callable[[], Any] | None = None,
        fuse_wgrad_accumulation: bool = False,
        bias: bool = True,
        normalization: str = "LayerNorm",
        activation: str = "gelu",
        init_method: Callable[[Any], Any] | None = None,
        output_layer_init_method: Callable[[Any], Any] | None = None,
        params_dtype: torch.dtype | None = None,
        return_layernorm_output: bool = False,
        zero_centered_gamma: bool = False,
        device: Any = "cuda",
        set_parallel_mode: bool = False,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.refuse_options(settings)
        mode = (lambda one: one) if set_parallel_mode else (lambda one: None)
        self.be_parallel("column", sequence_parallel, tp_group, tp_size, get_rng_state_tracker, None)
        self.modes = mode("column"), mode("row")
        self.fuse_wgrad_accumulation = fuse_wgrad_accumulation
        self.use_bias = bias
        self.return_bias = return_bias
        self.apply_bias = bias and not return_bias
        self.activation = ACTIVATIONS[activation]
        inner = ffn_hidden_size // self.tp_size
        wide = inner * (2 if activation.endswith("glu") else 1)
        dtype = params_dtype or torch.get_default_dtype()
        self.new_norm(hidden_size, normalization, eps, zero_centered_gamma, dtype, device)
        self.new_weight("fc1_weight", wide, hidden_size, dtype, device, init_method, "column")
        self.new_weight("fc2_weight", hidden_size, inner, dtype, device, output_layer_init_method, "row")
        self.fc1_bias = self.fc2_bias = None
        if bias:
            del self.fc1_bias, self.fc2_bias
            self.new_bias("fc1_bias", wide, dtype, device, "column")
            self.new_bias("fc2_bias", hidden_size, dtype, device, "row")

    def forward(self, inp: Any, is_first_microbatch: bool | None = None) -> Any:
        kind = activation_type(inp)
        column, row = self.modes
        hidden = products.linear(self.norm(inp), self.fc1_weight, self.fc1_bias, kind, self.way("fc1", column, is_first_microbatch))
        bias = self.fc2_bias if self.apply_bias else None
        out = products.linear(self.activation(hidden), self.fc2_weight, bias, kind, self.way("fc2", row, is_first_microbatch))
        return (out, self.fc2_bias) if self.return_bias else out
