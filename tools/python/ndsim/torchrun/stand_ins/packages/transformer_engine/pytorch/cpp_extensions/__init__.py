"""The matmuls below the modules."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.refused import not_simulated


def general_gemm(
    A: Any,
    B: Any,
    workspace: Any = None,
    out_dtype: torch.dtype | None = None,
    quantization_params: Any = None,
    gelu: Any = None,
    gelu_in: Any = None,
    accumulate: bool = False,
    layout: str = "TN",
    out: Any = None,
    bias: Any = None,
    use_split_accumulator: bool = False,
    grad: bool = False,
    **settings: Any,
) -> tuple[Any, Any, Any, Any]:
    """B @ A in cuBLAS's convention: each operand is transposed if its letter says so."""
    if quantization_params is not None or gelu or accumulate or (grad and bias is not None):
        not_simulated("general_gemm with quantization, gelu, accumulate or a bias's gradient", "take transformer_engine.pytorch.Linear")
    first = B.t() if layout[1] == "T" else B
    second = A.t() if layout[0] == "T" else A
    made = torch.mm(first.reshape(-1, first.shape[-1]), second)
    if bias is not None:
        made = made + bias
    made = made.to(out_dtype or made.dtype)
    return (made if out is None else out.copy_(made)), None, None, None
