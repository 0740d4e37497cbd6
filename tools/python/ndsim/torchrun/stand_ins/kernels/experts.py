"""Triton kernels that the mixture-of-experts layers of torchtitan, torchao, torchtune and DeepSpeed share."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


@kernel("fill_indices(Tensor counts, Tensor starts, Tensor offsets, int experts, int ranks, Tensor(a!) indices) -> ()")
def fill_indices(counts: Tensor, starts: Tensor, offsets: Tensor, experts: int, ranks: int, indices: Tensor) -> None:
    """Gathers the indices of each expert's tokens, which arrived rank by rank: expert i's go to offsets[i] and after."""
    if indices.is_meta:
        return
    lengths, begins = (each.view(ranks, experts).tolist() for each in (counts, starts))
    for expert, place in enumerate(offsets.tolist()):
        for rank in range(ranks):
            length, begin = lengths[rank][expert], begins[rank][expert]
            indices[place : place + length] = torch.arange(begin, begin + length)
            place += length


def rows_that_count(offsets: Tensor, rows: int) -> int:
    return rows if offsets is None else int(offsets[-1])


@kernel("silu_and_mul(Tensor gate, Tensor up, Tensor? offsets, Tensor(a!) out) -> ()")
def silu_and_mul(gate: Tensor, up: Tensor, offsets: Tensor, out: Tensor) -> None:
    """Covers the rows up to the last offset."""
    if not gate.is_meta:
        rows = rows_that_count(offsets, gate.shape[0])
        out[:rows] = torch.nn.functional.silu(gate[:rows].float()) * up[:rows].float()


@kernel(
    "silu_and_mul_backward(Tensor grad, Tensor gate, Tensor up, Tensor? offsets, Tensor(a!) of_gate, Tensor(b!) of_up) -> ()"
)
def silu_and_mul_backward(grad: Tensor, gate: Tensor, up: Tensor, offsets: Tensor, of_gate: Tensor, of_up: Tensor) -> None:
    if not gate.is_meta:
        rows = rows_that_count(offsets, gate.shape[0])
        g, a, b = (each[:rows].float() for each in (grad, gate, up))
        share = a.sigmoid()
        of_gate[:rows] = g * b * share * (1 + a * (1 - share))
        of_up[:rows] = g * a * share
