"""Rotary embeddings in one kernel."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.kernels import rotary
from ndsim.torchrun.stand_ins.refused import not_simulated


class RotaryFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Any, angles: Any, interleaved: bool) -> Any:
        ctx.save_for_backward(angles)
        ctx.interleaved = interleaved
        return rotary.fused_rope_fwd(given, angles, interleaved)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return rotary.fused_rope_bwd(grads[0], ctx.saved_tensors[0], ctx.interleaved), None, None


class RotaryPositionEmbedding(torch.nn.Module):
    """Angles by position: [tokens, 1, 1, width]."""

    def __init__(self, dim: int, rotary_percent: float = 1.0, rotary_base: float = 10000.0, **settings: Any) -> None:
        super().__init__()
        width = int(dim * rotary_percent)
        each = torch.arange(0, width, 2, dtype=torch.float32, device=torch.cuda.current_device())
        self.register_buffer("inv_freq", 1.0 / rotary_base ** (each / width))

    def forward(self, max_seq_len: int, offset: int = 0) -> Any:
        places = torch.arange(max_seq_len, device=self.inv_freq.device, dtype=self.inv_freq.dtype) + offset
        angles = torch.outer(places, self.inv_freq)
        return torch.cat((angles, angles), -1)[:, None, None, :]


def of_packed(angles: Any, cu_seqlens: Any, size: int, rank: int) -> Any:
    """The angles of packed sequences; with several ranks, each has an early and a late part."""
    parts = []
    for tokens in (cu_seqlens[1:] - cu_seqlens[:-1]).tolist():
        own = tokens // size
        if size == 1:
            parts.append(angles[:own])
            continue
        half = own // 2
        parts += [angles[rank * half : (rank + 1) * half], angles[tokens - (rank + 1) * half : tokens - rank * half]]
    return torch.cat(parts)


def apply_rotary_pos_emb(
    t: Any,
    freqs: Any,
    tensor_format: str = "sbhd",
    interleaved: bool = False,
    fused: bool = False,
    cu_seqlens: Any = None,
    cp_size: int = 1,
    cp_rank: int = 0,
    start_positions: Any = None,
) -> Any:
    """Rotate queries or keys by the angles of their positions."""
    if start_positions is not None:
        not_simulated("apply_rotary_pos_emb with start_positions", "cut the angles")
    if tensor_format == "thd":
        angles = of_packed(freqs, cu_seqlens, cp_size, cp_rank)[:, 0]
    else:
        angles = freqs[: t.shape[0 if tensor_format == "sbhd" else 1]]
        angles = angles if tensor_format == "sbhd" else angles.transpose(0, 1)
    return RotaryFunction.apply(t, angles.float(), interleaved)
