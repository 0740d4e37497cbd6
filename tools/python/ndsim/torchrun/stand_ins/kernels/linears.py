"""Matmuls of linear layers with cuBLAS's fused extras: a bias's gradient, accumulation into a gradient, experts.

Operands are in the form of ATen's `mm`. Gradients of weights take the transposed gradient of the result: `grad.t()`.
"""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


def product(first: Tensor, second: Tensor, kind: Any) -> Tensor:
    """Accumulated in single precision, and rounded once."""
    return (first.float() @ second.float()).to(kind)


def bias_gradient(turned: Tensor, wanted: bool) -> Tensor:
    return turned.float().sum(1).to(turned.dtype) if wanted else turned.new_empty(0)


@kernel("weight_gradient(Tensor mat1, Tensor mat2, bool with_bias) -> (Tensor, Tensor)")
def weight_gradient(turned: Tensor, given: Tensor, with_bias: bool) -> tuple[Tensor, Tensor]:
    """The gradient of a weight, with the bias's computed on the way."""
    return turned @ given, bias_gradient(turned, with_bias)


@kernel("weight_gradient_into(Tensor(a!) sums, Tensor mat1, Tensor mat2, Tensor(b!) of_bias) -> ()")
def weight_gradient_into(sums: Tensor, turned: Tensor, given: Tensor, of_bias: Tensor) -> None:
    """Adds to `sums`, in its type; overwrites the bias's gradient if it has elements."""
    sums.add_(product(turned, given, sums.dtype).view(sums.shape))
    if of_bias.numel():
        of_bias.copy_(turned.float().sum(1))


@kernel("grouped_linear(Tensor self, Tensor[] weights, Tensor[] biases, int[] rows) -> Tensor")
def grouped_linear(given: Tensor, weights: list[Tensor], biases: list[Tensor], rows: list[int]) -> Tensor:
    """Multiplies each group of rows by its expert's weight, [out, in], and adds its bias if there are any."""
    made = [part @ weight.t() for part, weight in zip(given.split(list(rows)), weights)]
    if biases:
        made = [part + bias for part, bias in zip(made, biases)]
    return torch.cat(made)


@kernel("grouped_linear_dgrad(Tensor self, Tensor[] weights, int[] rows) -> Tensor")
def grouped_linear_dgrad(grad: Tensor, weights: list[Tensor], rows: list[int]) -> Tensor:
    return torch.cat([part @ weight for part, weight in zip(grad.split(list(rows)), weights)])


@kernel("grouped_linear_wgrad(Tensor self, Tensor mat2, int[] rows) -> Tensor[]")
def grouped_linear_wgrad(grad: Tensor, given: Tensor, rows: list[int]) -> list[Tensor]:
    sizes = list(rows)
    return [of_result.t() @ part for of_result, part in zip(grad.split(sizes), given.split(sizes))]


@kernel("grouped_linear_wgrad_into(Tensor(a!)[] sums, Tensor self, Tensor mat2, int[] rows) -> ()")
def grouped_linear_wgrad_into(sums: list[Tensor], grad: Tensor, given: Tensor, rows: list[int]) -> None:
    sizes = list(rows)
    for into, of_result, part in zip(sums, grad.split(sizes), given.split(sizes)):
        into.add_(product(of_result.t(), part, into.dtype).view(into.shape))


@kernel("grouped_bias_gradients(Tensor grad, int[] rows) -> Tensor[]")
def grouped_bias_gradients(grad: Tensor, rows: list[int]) -> list[Tensor]:
    return [part.float().sum(0).to(grad.dtype) for part in grad.split(list(rows))]


@kernel("grouped_mm(Tensor self, Tensor mat2, int[] rows, bool turned) -> Tensor")
def grouped_mm(first: Tensor, experts: Tensor, rows: list[int], turned: bool) -> Tensor:
    """Multiplies each group of rows by its expert's matrix: [experts, in, out], or [experts, out, in] if transposed."""
    parts = first.split(list(rows))
    return torch.cat([part @ (expert.t() if turned else expert) for part, expert in zip(parts, experts.unbind(0))])


@kernel("grouped_mm_of_rows(Tensor self, Tensor mat2, int[] rows) -> Tensor")
def grouped_mm_of_rows(first: Tensor, second: Tensor, rows: list[int]) -> Tensor:
    """first.t() @ second for each group of rows: [experts, in, out]."""
    sizes = list(rows)
    return torch.stack([one.t() @ other for one, other in zip(first.split(sizes), second.split(sizes))])
