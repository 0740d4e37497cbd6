"""gmm: multiplies each expert's rows by its matrix."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.kernels import linears


class GroupedGemm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, rows: list[int], trans_b: bool) -> Any:
        ctx.save_for_backward(a, b)
        ctx.how = rows, trans_b
        return linears.grouped_mm(a, b, rows, trans_b)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b = ctx.saved_tensors
        rows, trans_b = ctx.how
        grad = grads[0].contiguous()
        of_a = linears.grouped_mm(grad, b, rows, not trans_b) if ctx.needs_input_grad[0] else None
        of_b = None
        if ctx.needs_input_grad[1]:
            of_b = linears.grouped_mm_of_rows(*((grad, a) if trans_b else (a, grad)), rows)
        return of_a, of_b, None, None


def gmm(a: Any, b: Any, batch_sizes: Any, trans_a: bool = False, trans_b: bool = False) -> Any:
    """a: [tokens, in]; b: [experts, in, out], or [experts, out, in] with trans_b; with trans_a both are rows of tokens."""
    rows = batch_sizes.tolist()
    if trans_a:
        return linears.grouped_mm_of_rows(a, b, rows)
    return GroupedGemm.apply(a, b, rows, trans_b)
