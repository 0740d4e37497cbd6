"""The matmul of a linear layer and its gradients, with the collectives of ranks that each have a part of it."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from ndsim.torchrun.stand_ins.kernels import linears

from ..distributed import allreduce, gather_along_first_dim, reduce_scatter_along_first_dim
from ..fp8 import GRADIENT, INPUT, WEIGHT
from . import operands


@dataclasses.dataclass(frozen=True)
class Way:
    """How a layer computes. `mode`: "column", "row", or None; `meta`: the FP8 recipe with its scales."""

    mode: str | None
    group: Any
    size: int
    sequence_parallel: bool
    into_main_grad: bool
    meta: Any = None
    casts: dict[Any, operands.Operand] | None = None
    """FP8 weights, kept across micro-batches."""

    @property
    def gathers(self) -> bool:
        """Whether its input is split by rows."""
        return self.mode == "column" and self.sequence_parallel

    @property
    def scatters(self) -> bool:
        """Whether its output is split by rows."""
        return self.mode == "row" and self.sequence_parallel

    def is_cut(self, mode: str) -> bool:
        return self.mode == mode and self.size > 1

    def cast_weight(self, weight: Any, dtype: Any) -> operands.Operand:
        if self.casts is None:
            return operands.cast(weight.to(dtype), WEIGHT, self.meta, True)
        if id(weight) not in self.casts:
            self.casts[id(weight)] = operands.cast(weight.to(dtype), WEIGHT, self.meta, True)
        return self.casts[id(weight)]


def dummy_for(weight: Any) -> Any:
    """Placeholder gradient for autograd if main_grad has the real one, so that hooks run."""
    from .base import get_dummy_wgrad

    if not hasattr(weight, "grad_added_to_main_grad"):
        return None
    weight.grad_added_to_main_grad = True
    return get_dummy_wgrad(list(weight.main_grad.shape), weight.dtype, zero=getattr(weight, "zero_out_wgrad", False))


def in_its_own_type(ctx: Any, rows: Any, total: Any, weight: Any, bias: Any) -> Any:
    ctx.save_for_backward(rows if weight.requires_grad else None, weight)
    turned = weight.to(ctx.dtype).t()
    return torch.mm(total, turned) if bias is None else torch.addmm(bias, total, turned)


def in_fp8(ctx: Any, rows: Any, total: Any, weight: Any, bias: Any) -> Any:
    """Saves the transposed FP8 operands for the gradients; other ranks' rows are gathered again and cast in the backward pass."""
    way = ctx.way
    operands.check_sides(total, weight)
    first = operands.cast(total, INPUT, way.meta, weight.requires_grad and not way.gathers)
    second = way.cast_weight(weight, ctx.dtype)
    ctx.blocks = first.plain.block, second.plain.block
    kept = (first.turned.rows, first.turned.inverse) if first.turned else (rows, None)
    ctx.save_for_backward(*kept, second.turned.rows, second.turned.inverse)
    return operands.product(first.plain, second.plain, bias, ctx.dtype)


class LinearFunction(torch.autograd.Function):
    """Multiplies [..., in] by a weight [out, in]."""

    @staticmethod
    def forward(ctx: Any, given: Any, weight: Any, bias: Any, dtype: Any, way: Way) -> Any:
        rows = given.reshape(-1, given.shape[-1]).to(dtype)
        ctx.way, ctx.weight, ctx.dtype = way, weight, dtype
        ctx.shape, ctx.given_type, ctx.has_bias = given.shape, given.dtype, bias is not None
        total = gather_along_first_dim(rows, way.group)[0] if way.gathers else rows
        late = bias if way.is_cut("row") else None
        early = None if late is not None or bias is None else bias.to(dtype)
        out = (in_its_own_type if way.meta is None else in_fp8)(ctx, rows, total, weight, early)
        if way.scatters:
            out = reduce_scatter_along_first_dim(out, way.group)[0]
        elif way.is_cut("row"):
            out = allreduce(out, way.group)[0]
        if late is not None:
            out = out + late.to(dtype)
        return out.view(-1, *given.shape[1:-1], out.shape[-1])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        way = ctx.way
        wants_input, wants_weight, wants_bias = (bool(wanted) for wanted in ctx.needs_input_grad[:3])
        grad = grads[0].reshape(-1, grads[0].shape[-1]).to(ctx.dtype)
        if way.scatters:
            grad = gather_along_first_dim(grad, way.group)[0]
        back = (Backward if way.meta is None else BackwardInFp8)(ctx, grad)
        coming = back.gather_rows() if way.gathers and wants_weight else None
        of_input = leaving = None
        if wants_input:
            of_input = back.of_input()
            if way.gathers:
                of_input, leaving = reduce_scatter_along_first_dim(of_input, way.group, async_op=True)
            elif way.is_cut("column"):
                of_input, leaving = allreduce(of_input, way.group, async_op=True)
        if coming is not None:
            coming.wait()
        of_weight = of_bias = None
        if wants_weight:
            of_weight, of_bias = back.of_weight(wants_bias and ctx.has_bias)
        elif wants_bias and ctx.has_bias:
            of_bias = grad.sum(0)
        if leaving is not None:
            leaving.wait()
        if of_input is not None:
            of_input = of_input.view(ctx.shape).to(ctx.given_type)
        return of_input, of_weight, of_bias, None, None


class Backward:
    """The matmuls of a backward pass."""

    def __init__(self, ctx: Any, grad: Any) -> None:
        self.way, self.weight, self.dtype, self.grad = ctx.way, ctx.weight, ctx.dtype, grad
        self.rows = ctx.saved_tensors[0]

    def gather_rows(self) -> Any:
        """Gather the rows of all ranks. Returns a handle to wait for."""
        self.rows, coming = gather_along_first_dim(self.rows, self.way.group, async_op=True)
        return coming

    def of_input(self) -> Any:
        return torch.mm(self.grad, self.weight.to(self.dtype))

    def of_weight(self, with_bias: bool) -> tuple[Any, Any]:
        """Gradients of the weight, unless main_grad takes it, and of the bias."""
        if self.way.into_main_grad:
            of_bias = self.grad.new_empty(self.grad.shape[1] if with_bias else 0)
            linears.weight_gradient_into(self.weight.main_grad, self.grad.t(), self.rows, of_bias)
            return dummy_for(self.weight), of_bias if with_bias else None
        of_weight, of_bias = linears.weight_gradient(self.grad.t(), self.rows, with_bias)
        return of_weight.to(self.weight.dtype), of_bias if with_bias else None


class BackwardInFp8(Backward):
    """The same in FP8."""

    def __init__(self, ctx: Any, grad: Any) -> None:
        super().__init__(ctx, grad)
        _, self.inverse, *turned_weight = ctx.saved_tensors
        self.blocks = ctx.blocks
        self.turned_weight = operands.Side(*turned_weight, ctx.blocks[1])
        self.of_grad = operands.cast(grad, GRADIENT, self.way.meta, ctx.needs_input_grad[1])

    def of_input(self) -> Any:
        return operands.product(self.of_grad.plain, self.turned_weight, None, self.dtype)

    def of_weight(self, with_bias: bool) -> tuple[Any, Any]:
        of_bias = self.grad.sum(0) if with_bias else None
        if self.inverse is None:
            turned = operands.cast(self.rows, INPUT, self.way.meta, True).turned
        else:
            turned = operands.Side(self.rows, self.inverse, self.blocks[0])
        if self.way.into_main_grad:
            operands.product_into(self.weight.main_grad, self.of_grad.turned, turned)
            return dummy_for(self.weight), of_bias
        return operands.product(self.of_grad.turned, turned, None, self.weight.dtype), of_bias


def linear(given: Any, weight: Any, bias: Any, dtype: Any, way: Way) -> Any:
    return LinearFunction.apply(given, weight, bias, dtype, way)
