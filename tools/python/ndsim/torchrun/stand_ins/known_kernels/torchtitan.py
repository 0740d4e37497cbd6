"""torchtitan's kernels: those of its experts, under each module path that they have had, and its fused SwiGLU."""

from __future__ import annotations

from typing import Any

from ..kernels import experts

Tensor = Any


def fill_indices(
    tokens_per_expert_group_ptr: Tensor,
    start_index_values_ptr: Tensor,
    write_offsets_ptr: Tensor,
    output_ptr: Tensor,
    experts_per_rank: int,
    num_ranks: int,
) -> None:
    groups = (tokens_per_expert_group_ptr, start_index_values_ptr, write_offsets_ptr)
    experts.fill_indices(*groups, experts_per_rank, num_ranks, output_ptr)


def silu_and_mul(gate: Tensor, up: Tensor, out: Tensor, offsets: Tensor, HAS_OFFSETS: bool) -> None:
    experts.silu_and_mul(gate, up, offsets if HAS_OFFSETS else None, out)


def silu_and_mul_backward(
    grad_out: Tensor, gate: Tensor, up: Tensor, grad_gate: Tensor, grad_up: Tensor, offsets: Tensor, HAS_OFFSETS: bool
) -> None:
    experts.silu_and_mul_backward(grad_out, gate, up, offsets if HAS_OFFSETS else None, grad_gate, grad_up)


KERNELS = {
    "torchtitan.experiments.kernels.moe.indices._fill_indices_kernel": fill_indices,
    "torchtitan.experiments.deepseek_v3.moe_kernels._fill_indices_kernel": fill_indices,
    "torchtitan.models.moe.kernels._fill_indices_kernel": fill_indices,
    "torchtitan.overrides.fused_swiglu._silu_and_mul_forward_kernel": silu_and_mul,
    "torchtitan.overrides.fused_swiglu._silu_and_mul_backward_kernel": silu_and_mul_backward,
}
