"""A case is one row of the table: how its calls are made, and the sizes that describe them."""

from typing import NamedTuple

import torch

BF16, FP8 = torch.bfloat16, torch.float8_e4m3fn
DTYPES = {"bf16": BF16, "fp16": torch.float16, "fp32": torch.float32, "tf32": torch.float32}


class Case(NamedTuple):
    family: str  # for which errors are averaged
    name: str
    make: object  # returns the calls to be timed
    sizes: dict = {}  # columns of the table
    sustained: bool = False


def drawn(*sides, dtype=BF16, gradient=False):
    return torch.randn(*sides, dtype=dtype, device="cuda").requires_grad_(gradient)


def whole(below, *sides):
    return torch.randint(below, sides, device="cuda")
