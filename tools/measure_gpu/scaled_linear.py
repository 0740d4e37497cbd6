"""Linear layers in fp8, scaled by tensor or by row, with the casts that torchao makes."""

import torch

from case import BF16
from products import cast_columns, cast_rows, cast_whole


def multiplied(a, b_turned, scale_a, scale_b):
    return torch._scaled_mm(a, b_turned.t(), scale_a, scale_b, out_dtype=BF16, use_fast_accum=True)


def turned(quantised):
    return quantised.t().contiguous()


class ByTensor(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        (x, of_x), (w, of_w) = cast_whole(x), cast_whole(w)
        return multiplied(x, w, of_x, of_w)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        (x, of_x), (w, of_w), (g, of_g) = cast_whole(x), cast_whole(w), cast_whole(g)
        return multiplied(g, turned(w), of_g, of_w), multiplied(turned(g), turned(x), of_g, of_x)


class ByRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        (x, of_x), (w, of_w) = cast_rows(x), cast_rows(w)
        return multiplied(x, w, of_x, of_w.t())

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        (rows, of_rows), (w, of_w) = cast_rows(g), cast_columns(w)
        (columns, of_columns), (x, of_x) = cast_columns(g), cast_columns(x)
        return multiplied(rows, w, of_rows, of_w.t()), multiplied(columns, x, of_columns, of_x.t())


class ScaledLinear(torch.nn.Linear):
    def __init__(self, inputs, outputs, by_rows):
        super().__init__(inputs, outputs, bias=False)
        self.function = ByRows if by_rows else ByTensor

    def forward(self, x):
        return self.function.apply(x.flatten(0, -2), self.weight).view(*x.shape[:-1], -1)
