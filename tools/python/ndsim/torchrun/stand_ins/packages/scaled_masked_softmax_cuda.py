"""Apex's extension: softmax of scaled scores under a mask."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.stand_ins.kernels import softmaxes


def forward(scores: Any, mask: Any, scale: Any) -> Any:
    return softmaxes.scaled_masked_softmax_fwd(scores, mask, float(scale))


def backward(grad: Any, shares: Any, scale: Any) -> Any:
    return softmaxes.scaled_softmax_bwd(grad, shares, float(scale))


def get_batch_per_block(queries: int, keys: int, batches: int, heads: int) -> int:
    """Rows per block of 128 threads: each warp of up to 32 threads takes two rows of up to 128 keys, or one longer row."""
    columns = 1 << max(0, keys - 1).bit_length()
    rows_of_warp = 2 if columns <= 128 else 1
    return 128 // min(columns, 32) * rows_of_warp
