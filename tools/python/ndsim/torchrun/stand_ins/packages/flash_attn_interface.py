"""FlashAttention 3 as scripts import it: its functions, computed by PyTorch and priced like its kernels."""

from __future__ import annotations

from typing import Any

import torch
from flash_attn_3._C import refuse_given
from ndsim.torchrun.stand_ins.attending import How, Packed, attend, with_last_in_a_row
from ndsim.torchrun.stand_ins.refused import not_simulated

GENERATION = "only training kernels are priced; attend with flash_attn_func"


def returned(made: tuple[torch.Tensor, torch.Tensor], with_sums: bool) -> Any:
    return made if with_sums else made[0]


def flash_attn_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    softmax_scale: float | None = None,
    causal: bool = False,
    qv: torch.Tensor | None = None,
    q_descale: torch.Tensor | None = None,
    k_descale: torch.Tensor | None = None,
    v_descale: torch.Tensor | None = None,
    window_size: tuple[int, int] = (-1, -1),
    attention_chunk: int = 0,
    softcap: float = 0.0,
    num_splits: int = 1,
    pack_gqa: bool | None = None,
    deterministic: bool = False,
    sm_margin: int = 0,
    return_attn_probs: bool = False,
) -> Any:
    """The result; on request also the logsumexp of each row."""
    refuse_given({"qv": qv, "q_descale": q_descale, "k_descale": k_descale, "v_descale": v_descale, "attention_chunk": attention_chunk})
    how = How(causal, tuple(window_size), softmax_scale, softcap=softcap, version=3)
    return returned(attend((q, k, v), how), return_attn_probs)


def flash_attn_varlen_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    seqused_q: torch.Tensor | None = None,
    seqused_k: torch.Tensor | None = None,
    softmax_scale: float | None = None,
    causal: bool = False,
    qv: torch.Tensor | None = None,
    q_descale: torch.Tensor | None = None,
    k_descale: torch.Tensor | None = None,
    v_descale: torch.Tensor | None = None,
    window_size: tuple[int, int] = (-1, -1),
    attention_chunk: int = 0,
    softcap: float = 0.0,
    num_splits: int = 1,
    pack_gqa: bool | None = None,
    deterministic: bool = False,
    sm_margin: int = 0,
    return_attn_probs: bool = False,
) -> Any:
    refuse_given({"qv": qv, "q_descale": q_descale, "k_descale": k_descale, "v_descale": v_descale, "attention_chunk": attention_chunk})
    refuse_given({"seqused_q": seqused_q, "seqused_k": seqused_k})
    packed = Packed(cu_seqlens_q, cu_seqlens_k, int(max_seqlen_q), int(max_seqlen_k))
    how = How(causal, tuple(window_size), softmax_scale, softcap=softcap, packed=packed, version=3)
    return returned(attend((q, k, v), how), return_attn_probs)


def flash_attn_qkvpacked_func(
    qkv: torch.Tensor,
    softmax_scale: float | None = None,
    causal: bool = False,
    q_descale: torch.Tensor | None = None,
    k_descale: torch.Tensor | None = None,
    v_descale: torch.Tensor | None = None,
    window_size: tuple[int, int] = (-1, -1),
    attention_chunk: int = 0,
    softcap: float = 0.0,
    deterministic: bool = False,
    num_heads_q: int | None = None,
    sm_margin: int = 0,
    return_attn_probs: bool = False,
) -> Any:
    refuse_given({"q_descale": q_descale, "k_descale": k_descale, "v_descale": v_descale, "attention_chunk": attention_chunk})
    if qkv.dim() == 4:
        not_simulated("flash_attn_qkvpacked_func of grouped heads", "pass queries, keys and values separately")
    how = How(causal, tuple(window_size), softmax_scale, softcap=softcap, version=3)
    return returned(attend((qkv,), how), return_attn_probs)


def flash_attn_with_kvcache(*given: Any, **settings: Any) -> Any:
    not_simulated("flash_attn_with_kvcache of FlashAttention 3", "flash_attn has one, of version 2")


def flash_attn_combine(*given: Any, **settings: Any) -> Any:
    not_simulated("flash_attn_combine", GENERATION)


def get_scheduler_metadata(*given: Any, **settings: Any) -> Any:
    not_simulated("get_scheduler_metadata of FlashAttention 3", GENERATION)


def _flash_attn_forward(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *rest: Any, **settings: Any) -> Any:
    """The operator, with the function's defaults and names."""
    names = {"causal": "is_causal", "qv": "q_v", "out_": "out", "rotary_interleaved": "is_rotary_interleaved"}
    named = {names.get(name, name): value for name, value in settings.items()}
    return torch.ops.flash_attn_3.fwd(*map(with_last_in_a_row, (q, k, v)), *rest, **named)


def _flash_attn_backward(
    dout: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    softmax_lse: torch.Tensor,
    cu_seqlens_q: torch.Tensor | None = None,
    cu_seqlens_k: torch.Tensor | None = None,
    sequed_q: torch.Tensor | None = None,
    sequed_k: torch.Tensor | None = None,
    max_seqlen_q: int | None = None,
    max_seqlen_k: int | None = None,
    dq: torch.Tensor | None = None,
    dk: torch.Tensor | None = None,
    dv: torch.Tensor | None = None,
    *rest: Any,
    **settings: Any,
) -> torch.Tensor:
    """Fill the given gradients. Returns one number per row, which the real kernel keeps."""
    tensors = map(with_last_in_a_row, (dout, q, k, v, out))
    sequences = (cu_seqlens_q, cu_seqlens_k, sequed_q, sequed_k, max_seqlen_q, max_seqlen_k)
    made = torch.ops.flash_attn_3.bwd(*tensors, softmax_lse, dq, dk, dv, *sequences, *rest, **settings)
    sums: torch.Tensor = made[3]
    return sums
