"""Apex's extension that accumulates a weight's gradient."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.kernels import linears


def wgrad_gemm_accum_fp32(input_2d: Any, d_output: Any, d_weight: Any) -> None:
    rows, result = (tensor.reshape(-1, tensor.shape[-1]) for tensor in (input_2d, d_output))
    linears.weight_gradient_into(d_weight, result.t(), rows, d_output.new_empty(0))


wgrad_gemm_accum_fp16 = wgrad_gemm_accum_fp32
