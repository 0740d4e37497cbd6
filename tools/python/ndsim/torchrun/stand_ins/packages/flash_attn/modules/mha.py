"""Attention modules for packed queries, keys and values."""

from __future__ import annotations

from typing import Any

import torch

from ..flash_attn_interface import (
    flash_attn_kvpacked_func,
    flash_attn_qkvpacked_func,
    flash_attn_varlen_kvpacked_func,
    flash_attn_varlen_qkvpacked_func,
    flash_attn_with_kvcache,
)

__all__ = [
    "FlashCrossAttention",
    "FlashSelfAttention",
    "flash_attn_kvpacked_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_kvpacked_func",
    "flash_attn_varlen_qkvpacked_func",
    "flash_attn_with_kvcache",
]


class FlashAttention(torch.nn.Module):
    """Common base of both."""

    def __init__(
        self,
        causal: bool = False,
        softmax_scale: float | None = None,
        attention_dropout: float = 0.0,
        alibi_slopes: torch.Tensor | None = None,
        window_size: tuple[int, int] = (-1, -1),
        deterministic: bool = False,
    ) -> None:
        super().__init__()
        self.causal, self.softmax_scale, self.deterministic = causal, softmax_scale, deterministic
        self.drop = torch.nn.Dropout(attention_dropout)
        self.register_buffer("alibi_slopes", alibi_slopes, persistent=False)
        self.window_size = window_size

    def settings(self, causal: bool | None) -> dict[str, Any]:
        return {
            "dropout_p": self.drop.p if self.training else 0.0,
            "softmax_scale": self.softmax_scale,
            "causal": self.causal if causal is None else causal,
            "alibi_slopes": self.alibi_slopes,
            "window_size": self.window_size,
            "deterministic": self.deterministic,
        }


class FlashSelfAttention(FlashAttention):
    def forward(
        self,
        qkv: torch.Tensor,
        causal: bool | None = None,
        cu_seqlens: torch.Tensor | None = None,
        max_seqlen: int | None = None,
    ) -> Any:
        if cu_seqlens is None:
            return flash_attn_qkvpacked_func(qkv, **self.settings(causal))
        assert max_seqlen is not None
        return flash_attn_varlen_qkvpacked_func(qkv, cu_seqlens, max_seqlen, **self.settings(causal))


class FlashCrossAttention(FlashAttention):
    def forward(
        self,
        q: torch.Tensor,
        kv: torch.Tensor,
        causal: bool | None = None,
        cu_seqlens: torch.Tensor | None = None,
        max_seqlen: int | None = None,
        cu_seqlens_k: torch.Tensor | None = None,
        max_seqlen_k: int | None = None,
    ) -> Any:
        if cu_seqlens is None:
            return flash_attn_kvpacked_func(q, kv, **self.settings(causal))
        assert max_seqlen is not None and cu_seqlens_k is not None and max_seqlen_k is not None
        return flash_attn_varlen_kvpacked_func(
            q, kv, cu_seqlens, cu_seqlens_k, max_seqlen, max_seqlen_k, **self.settings(causal)
        )
