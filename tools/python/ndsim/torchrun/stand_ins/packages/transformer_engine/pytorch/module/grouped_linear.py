"""The linear layers of experts, grouped."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch
from ndsim.torchrun.stand_ins.kernels import linears
from ndsim.torchrun.stand_ins.refused import not_simulated

from ..fp8 import FP8GlobalStateManager
from . import products
from .base import TransformerEngineBaseModule, activation_type


class GroupedFunction(torch.autograd.Function):
    """Multiplies the consecutive rows of each expert by its weight."""

    @staticmethod
    def forward(ctx: Any, given: Any, rows: list[int], into_main_grad: bool, count: int, *parameters: Any) -> Any:
        weights, biases = list(parameters[:count]), list(parameters[count:])
        flat = given.reshape(-1, given.shape[-1])
        ctx.save_for_backward(flat)
        ctx.weights, ctx.biases, ctx.rows, ctx.into_main_grad, ctx.shape = weights, biases, rows, into_main_grad, given.shape
        same = [weight.to(flat.dtype) for weight in weights]
        return linears.grouped_linear(flat, same, biases, rows).view(*given.shape[:-1], weights[0].shape[0])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (flat,) = ctx.saved_tensors
        grad = grads[0].reshape(-1, grads[0].shape[-1])
        same = [weight.to(flat.dtype) for weight in ctx.weights]
        of_input = None
        if ctx.needs_input_grad[0]:
            of_input = linears.grouped_linear_dgrad(grad, same, ctx.rows).view(ctx.shape)
        if ctx.into_main_grad:
            sums = [weight.main_grad for weight in ctx.weights]
            linears.grouped_linear_wgrad_into(sums, grad, flat, ctx.rows)
            of_weights = [products.dummy_for(weight) for weight in ctx.weights]
        else:
            of_weights = linears.grouped_linear_wgrad(grad, flat, ctx.rows)
        of_biases = linears.grouped_bias_gradients(grad, ctx.rows) if ctx.biases else []
        return (of_input, None, None, None, *of_weights, *of_biases)


class GroupedLinear(TransformerEngineBaseModule):
    """Has weight0, weight1 and so on, one per expert on this rank."""

    def __init__(
        self,
        num_gemms: int,
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
        device: Any = "cuda",
        ub_name: str | None = None,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.refuse_options(settings)
        self.be_parallel(parallel_mode, sequence_parallel, tp_group, tp_size, get_rng_state_tracker, rng_tracker_name)
        self.num_gemms = num_gemms
        self.in_features = in_features // self.tp_size if parallel_mode == "row" else in_features
        self.out_features = out_features // self.tp_size if parallel_mode == "column" else out_features
        self.fuse_wgrad_accumulation = fuse_wgrad_accumulation
        self.use_bias = bias
        self.return_bias = return_bias
        self.apply_bias = bias and not return_bias
        dtype = params_dtype or torch.get_default_dtype()
        for i in range(num_gemms):
            shape = self.out_features, self.in_features
            self.new_weight(f"weight{i}", *shape, dtype, device, init_method, parallel_mode)
        for i in range(num_gemms):
            if bias:
                self.new_bias(f"bias{i}", self.out_features, dtype, device, parallel_mode)
            else:
                setattr(self, f"bias{i}", torch.empty(0, dtype=dtype, device=device))

    def forward(self, inp: Any, m_splits: Any, is_first_microbatch: bool | None = None) -> Any:
        if FP8GlobalStateManager.is_fp8_enabled():
            not_simulated("transformer_engine's GroupedLinear in fp8", "leave experts in bf16")
        rows = m_splits.tolist() if torch.is_tensor(m_splits) else [int(each) for each in m_splits]
        if len(rows) != self.num_gemms:
            raise AssertionError("Number of splits should match number of GEMMs.")
        weights = [getattr(self, f"weight{i}") for i in range(self.num_gemms)]
        biases = [getattr(self, f"bias{i}") for i in range(self.num_gemms)]
        given = inp.to(activation_type(inp))
        applied = biases if self.apply_bias else []
        way = self.fuse_wgrad_accumulation
        out = GroupedFunction.apply(given, rows, way, self.num_gemms, *itertools.chain(weights, applied))
        return (out, [bias.to(out.dtype) for bias in biases]) if self.return_bias else out
