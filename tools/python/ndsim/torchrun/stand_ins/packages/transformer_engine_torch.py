"""TransformerEngine's compiled part, as far as frameworks call it directly."""

from __future__ import annotations

from typing import Any

import torch


def thd_get_partitioned_indices(cu_seqlens: Any, total_tokens: int, world_size: int, rank: int) -> Any:
    """Indices of the tokens of packed sequences that a context-parallel rank has."""
    bounds = cu_seqlens.tolist()
    parts = []
    for begin, end in zip(bounds, bounds[1:]):
        step = (end - begin) // (2 * world_size)
        for place in (rank, 2 * world_size - 1 - rank):
            parts.append(torch.arange(begin + place * step, begin + (place + 1) * step))
    return torch.cat(parts).to(cu_seqlens.device, torch.int32)
