"""Rotary embeddings, one kernel for each tensor and direction."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.refusals import refuse
from ndsim.torchrun.stand_ins.kernels import rotary as kernels

Offsets = int | torch.Tensor


def how(cos: torch.Tensor, sin: torch.Tensor, offsets: Offsets, starts: Any, interleaved: bool) -> tuple[Any, ...]:
    """The kernel's arguments except the direction."""
    if isinstance(offsets, torch.Tensor):
        return cos, sin, offsets, 0, starts, interleaved
    return cos, sin, None, offsets, starts, interleaved


class ApplyRotaryEmb(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        cos: torch.Tensor,
        sin: torch.Tensor,
        interleaved: bool = False,
        inplace: bool = False,
        seqlen_offsets: Offsets = 0,
        cu_seqlens: torch.Tensor | None = None,
        max_seqlen: int | None = None,
    ) -> torch.Tensor:
        ctx.how, ctx.inplace = how(cos, sin, seqlen_offsets, cu_seqlens, interleaved), inplace
        if not inplace:
            return kernels.rotary(x, *ctx.how, False)
        kernels.rotary_in_place(x, *ctx.how, False)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        if ctx.inplace:
            kernels.rotary_in_place(grad, *ctx.how, True)
        else:
            grad = kernels.rotary(grad, *ctx.how, True)
        return grad, *7 * (None,)


def apply_rotary_emb(
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    interleaved: bool = False,
    inplace: bool = False,
    seqlen_offsets: Offsets = 0,
    cu_seqlens: torch.Tensor | None = None,
    max_seqlen: int | None = None,
) -> torch.Tensor:
    """x: [sequences, tokens, heads, width], or [tokens, heads, width] with cu_seqlens; cos, sin: [positions, half the width]."""
    return ApplyRotaryEmb.apply(x, cos, sin, interleaved, inplace, seqlen_offsets, cu_seqlens, max_seqlen)


apply_rotary_emb_func = apply_rotary_emb


class InPlace(torch.autograd.Function):
    """Rotates some heads of a tensor in place: `tables` has cos and sin for each of the parts from `parts`."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, parts: Any, tables: Any) -> torch.Tensor:
        ctx.parts, ctx.tables = parts, tables
        for part, table in zip(parts(x), tables):
            kernels.rotary_in_place(part, *table, False)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        grad = grad.contiguous()
        for part, table in zip(ctx.parts(grad), ctx.tables):
            kernels.rotary_in_place(part, *table, True)
        return grad, None, None


def apply_rotary_emb_qkv_(
    qkv: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    cos_k: torch.Tensor | None = None,
    sin_k: torch.Tensor | None = None,
    interleaved: bool = False,
    seqlen_offsets: Offsets = 0,
    num_heads_q: int | None = None,
) -> torch.Tensor:
    """Rotate queries and keys in place: [sequences, tokens, 3, heads, width], or [sequences, tokens, all heads, width]."""
    if cos_k is not None or sin_k is not None:
        refuse("apply_rotary_emb_qkv_ with cos_k or sin_k", "turn queries and keys by apply_rotary_emb")
    heads = num_heads_q or 0
    key_heads = 0 if qkv.dim() == 5 else (qkv.shape[2] - heads) // 2

    def parts(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (tensor[:, :, :2].flatten(2, 3) if tensor.dim() == 5 else tensor[:, :, : heads + key_heads],)

    return InPlace.apply(qkv, parts, (how(cos, sin, seqlen_offsets, None, interleaved),))


def apply_rotary_emb_kv_(
    kv: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, interleaved: bool = False, seqlen_offsets: Offsets = 0
) -> torch.Tensor:
    """Rotate keys in place: [sequences, tokens, 2, heads, width]."""

    def parts(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (tensor[:, :, 0],)

    return InPlace.apply(kv, parts, (how(cos, sin, seqlen_offsets, None, interleaved),))


def rotate_half(x: torch.Tensor, interleaved: bool = False) -> torch.Tensor:
    if interleaved:
        return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def apply_rotary_emb_torch(
    x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, interleaved: bool = False
) -> torch.Tensor:
    """The same with PyTorch's operators."""
    width = 2 * cos.shape[-1]
    cos, sin = (
        (each.repeat_interleave(2, -1) if interleaved else torch.cat((each, each), -1)).unsqueeze(-2)
        for each in (cos, sin)
    )
    turned = x[..., :width] * cos + rotate_half(x[..., :width], interleaved) * sin
    return torch.cat([turned, x[..., width:]], -1)


class RotaryEmbedding(torch.nn.Module):
    """Caches the tables of cosines and sines up to the longest length in use."""

    def __init__(
        self,
        dim: int,
        base: float = 10000.0,
        interleaved: bool = False,
        scale_base: float | None = None,
        pos_idx_in_fp32: bool = True,
        device: Any = None,
    ) -> None:
        super().__init__()
        if scale_base is not None:
            refuse("flash_attn's RotaryEmbedding with scale_base", "its kernels have one table for queries and keys")
        self.dim, self.base, self.interleaved = dim, float(base), interleaved
        self.scale_base, self.pos_idx_in_fp32 = scale_base, pos_idx_in_fp32
        self.register_buffer("inv_freq", self._compute_inv_freq(device), persistent=False)
        self.register_buffer("scale", None, persistent=False)
        self._seq_len_cached = 0
        self._cos_cached: Any = None
        self._sin_cached: Any = None
        self._cos_k_cached: Any = None
        self._sin_k_cached: Any = None

    def _compute_inv_freq(self, device: Any = None) -> torch.Tensor:
        return 1.0 / (self.base ** (torch.arange(0, self.dim, 2, device=device, dtype=torch.float32) / self.dim))

    def _update_cos_sin_cache(self, seqlen: int, device: Any = None, dtype: Any = None) -> None:
        known = self._cos_cached
        stale = known is None or known.device != device or known.dtype != dtype or (self.training and known.is_inference())
        if seqlen <= self._seq_len_cached and not stale:
            return
        self._seq_len_cached = seqlen
        exact = self.pos_idx_in_fp32
        places = torch.arange(seqlen, device=device, dtype=torch.float32 if exact else self.inv_freq.dtype)
        frequencies = self.inv_freq
        if exact and frequencies.dtype != torch.float32:
            frequencies = self._compute_inv_freq(device)
        angles = torch.outer(places, frequencies)
        self._cos_cached, self._sin_cached = torch.cos(angles).to(dtype), torch.sin(angles).to(dtype)

    def forward(
        self,
        qkv: torch.Tensor,
        kv: torch.Tensor | None = None,
        seqlen_offset: Offsets = 0,
        max_seqlen: int | None = None,
        num_heads_q: int | None = None,
    ) -> Any:
        seqlen = qkv.shape[1]
        if max_seqlen is not None:
            self._update_cos_sin_cache(max_seqlen, device=qkv.device, dtype=qkv.dtype)
        elif isinstance(seqlen_offset, int):
            self._update_cos_sin_cache(seqlen + seqlen_offset, device=qkv.device, dtype=qkv.dtype)
        tables, offsets = (self._cos_cached, self._sin_cached), {"seqlen_offsets": seqlen_offset}
        if kv is None:
            return apply_rotary_emb_qkv_(
                qkv, *tables, interleaved=self.interleaved, num_heads_q=num_heads_q, **offsets
            )
        turned = apply_rotary_emb(qkv, *tables, interleaved=self.interleaved, inplace=True, **offsets)
        return turned, apply_rotary_emb_kv_(kv, *tables, interleaved=self.interleaved, **offsets)
