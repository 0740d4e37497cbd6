"""The attention module that frameworks build on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from ndsim.torchrun.stand_ins.refused import not_simulated

from ...fp8 import FP8GlobalStateManager
from . import kernels, ring
from .packed import packed_attention

HALF = (torch.float16, torch.bfloat16)


class DotProductAttention(torch.nn.Module):
    """Attention without weights, over the queries, keys and values of all heads on this rank."""

    def __init__(
        self,
        num_attention_heads: int,
        kv_channels: int | tuple[int, int],
        num_gqa_groups: int | None = None,
        attention_dropout: float = 0.0,
        qkv_format: str = "sbhd",
        attn_mask_type: str = "causal",
        window_size: tuple[int, int] | None = None,
        sequence_parallel: bool = False,
        tp_size: int = 1,
        get_rng_state_tracker: Callable[[], Any] | None = None,
        tp_group: Any = None,
        layer_number: int | None = None,
        attention_type: str = "self",
        cp_group: Any = None,
        cp_global_ranks: list[int] | None = None,
        cp_stream: Any = None,
        cp_comm_type: str = "p2p",
        softmax_scale: float | None = None,
        softmax_type: str = "vanilla",
        return_max_logit: bool = False,
    ) -> None:
        super().__init__()
        if softmax_type != "vanilla" or return_max_logit:
            not_simulated("transformer_engine's attention with softmax_type or return_max_logit", "leave them out")
        width = kv_channels if isinstance(kv_channels, int) else kv_channels[0]
        self.num_attention_heads = num_attention_heads
        self.qkv_format = qkv_format
        self.attn_mask_type = attn_mask_type
        self.window_size = window_size
        self.attention_dropout = attention_dropout
        self.attention_type = attention_type
        self.get_rng_state_tracker = None if sequence_parallel else get_rng_state_tracker
        self.softmax_scale = width**-0.5 if softmax_scale is None else softmax_scale
        self.layer_number = layer_number
        self.tp_size = tp_size
        self.tp_group = tp_group
        self.set_context_parallel_group(cp_group, cp_global_ranks, cp_stream, cp_comm_type)

    def set_context_parallel_group(self, cp_group: Any, ranks: Any, stream: Any, cp_comm_type: str = "p2p") -> None:
        self.cp_group, self.cp_global_ranks, self.cp_stream, self.cp_comm_type = cp_group, ranks, stream, cp_comm_type

    def random_numbers(self) -> Any:
        if self.get_rng_state_tracker is None or not self.training:
            return contextlib.nullcontext()
        return self.get_rng_state_tracker().fork()

    def forward(
        self,
        query_layer: Any,
        key_layer: Any,
        value_layer: Any,
        attention_mask: Any = None,
        qkv_format: str | None = None,
        cu_seqlens_q: Any = None,
        cu_seqlens_kv: Any = None,
        cu_seqlens_q_padded: Any = None,
        cu_seqlens_kv_padded: Any = None,
        max_seqlen_q: int | None = None,
        max_seqlen_kv: int | None = None,
        attn_mask_type: str | None = None,
        window_size: tuple[int, int] | None = None,
        core_attention_bias_type: str = "no_bias",
        core_attention_bias: Any = None,
        **settings: Any,
    ) -> Any:
        if settings.get("alibi_slopes") is not None or settings.get("inference_params") is not None:
            not_simulated("transformer_engine's attention with alibi_slopes or inference_params", "leave them out")
        recipe = FP8GlobalStateManager.get_fp8_recipe() if FP8GlobalStateManager.is_fp8_enabled() else None
        if getattr(recipe, "fp8_dpa", False):
            not_simulated("transformer_engine's attention in fp8", "leave attention in bf16")
        layout = qkv_format or self.qkv_format
        kind = (attn_mask_type or self.attn_mask_type).replace(",", "_")
        dropout = self.attention_dropout if self.training else 0.0
        window = tuple(window_size or self.window_size or (-1, -1))
        size = torch.distributed.get_world_size(self.cp_group) if self.cp_group is not None else 1
        tensors = query_layer, key_layer, value_layer
        with self.random_numbers():
            if layout == "thd":
                if size > 1:
                    not_simulated("attention of packed sequences over ranks (context parallelism)", "pad sequences to one length")
                starts = cu_seqlens_q, cu_seqlens_kv
                most = max_seqlen_q or int((starts[0][1:] - starts[0][:-1]).max()), max_seqlen_kv
                made = packed_attention(*tensors, *starts, most[0], most[1] or most[0], dropout, "causal" in kind, window, self.softmax_scale)
                return made.reshape(made.shape[0], -1)
            order = (1, 2, 0, 3) if layout == "sbhd" else (0, 2, 1, 3)
            heads_first = [tensor.permute(order) for tensor in tensors]
            if size > 1:
                made = ring.attention(self, *heads_first, dropout, kind, window)
            else:
                made = self.attend(*heads_first, attention_mask, kind, window, core_attention_bias, dropout)
        back = made.permute(2, 0, 1, 3) if layout == "sbhd" else made.permute(0, 2, 1, 3)
        return back.reshape(*back.shape[:2], -1)

    def attend(self, query: Any, key: Any, value: Any, mask: Any, kind: str, window: Any, bias: Any, dropout: float) -> Any:
        causal = "causal" in kind
        from_the_end = kind.endswith("bottom_right")
        square = query.shape[2] == key.shape[2]
        if bias is None and kind in ("causal", "no_mask", "causal_bottom_right") and query.dtype in HALF:
            if window in ((-1, -1), (-1, 0)) and (square or not from_the_end):
                return kernels.Fused.apply(query, key, value, dropout, causal, self.softmax_scale)
            if square or not causal or from_the_end:
                tensors = (each.transpose(1, 2) for each in (query, key, value))
                sides = query.shape[2], key.shape[2]
                made = packed_attention(*tensors, None, None, *sides, dropout, causal, window, self.softmax_scale)
                return made.transpose(1, 2)
        hidden = kernels.hidden_keys(query.shape[2], key.shape[2], causal, from_the_end, window, query.device)
        if mask is not None and ("padding" in kind or kind == "arbitrary"):
            given = mask if torch.is_tensor(mask) else mask[0] | mask[1].transpose(-2, -1)
            hidden = given if hidden is None else hidden | given
        return kernels.in_parts(query, key, value, dropout, hidden, bias, self.softmax_scale)
