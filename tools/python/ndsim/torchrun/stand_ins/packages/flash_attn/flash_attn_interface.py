"""The functions of flash_attn, and the lower-level ones that ring attention calls."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.refusals import refuse
from ndsim.torchrun.stand_ins.attending import How, Packed, attend, backward_into, check, forward, with_last_in_a_row


def returned(made: tuple[torch.Tensor, torch.Tensor], dropout: float, with_probabilities: bool) -> Any:
    """The result; on request also the logsumexp of each row and the probabilities, which are empty without dropout."""
    if not with_probabilities:
        return made[0]
    if dropout > 0:
        refuse("flash_attn's return_attn_probs with dropout", "the kernel keeps no probabilities; take them without it")
    return *made, made[0].new_empty(0)


def flash_attn_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    how = How(causal, tuple(window_size), softmax_scale, dropout_p, softcap, alibi_slopes)
    return returned(attend((q, k, v), how), dropout_p, return_attn_probs)


def flash_attn_kvpacked_func(
    q: torch.Tensor,
    kv: torch.Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    how = How(causal, tuple(window_size), softmax_scale, dropout_p, softcap, alibi_slopes)
    return returned(attend((q, kv), how), dropout_p, return_attn_probs)


def flash_attn_qkvpacked_func(
    qkv: torch.Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    how = How(causal, tuple(window_size), softmax_scale, dropout_p, softcap, alibi_slopes)
    return returned(attend((qkv,), how), dropout_p, return_attn_probs)


def refuse_pages(block_table: Any) -> None:
    if block_table is not None:
        refuse("flash_attn_varlen_func with block_table", "paged keys are priced only in flash_attn_with_kvcache")


def flash_attn_varlen_func(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
    block_table: torch.Tensor | None = None,
) -> Any:
    refuse_pages(block_table)
    packed = Packed(cu_seqlens_q, cu_seqlens_k, int(max_seqlen_q), int(max_seqlen_k))
    how = How(causal, tuple(window_size), softmax_scale, dropout_p, softcap, alibi_slopes, packed)
    return returned(attend((q, k, v), how), dropout_p, return_attn_probs)


def flash_attn_varlen_kvpacked_func(
    q: torch.Tensor,
    kv: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    packed = Packed(cu_seqlens_q, cu_seqlens_k, int(max_seqlen_q), int(max_seqlen_k))
    how = How(causal, tuple(window_size), softmax_scale, dropout_p, softcap, alibi_slopes, packed)
    return returned(attend((q, kv), how), dropout_p, return_attn_probs)


def flash_attn_varlen_qkvpacked_func(
    qkv: torch.Tensor,
    cu_seqlens: torch.Tensor,
    max_seqlen: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    packed = Packed(cu_seqlens, cu_seqlens, int(max_seqlen), int(max_seqlen))
    how = How(causal, tuple(window_size), softmax_scale, dropout_p, softcap, alibi_slopes, packed)
    return returned(attend((qkv,), how), dropout_p, return_attn_probs)


def flash_attn_with_kvcache(
    q: torch.Tensor,
    k_cache: torch.Tensor,
    v_cache: torch.Tensor,
    k: torch.Tensor | None = None,
    v: torch.Tensor | None = None,
    rotary_cos: torch.Tensor | None = None,
    rotary_sin: torch.Tensor | None = None,
    cache_seqlens: int | torch.Tensor | None = None,
    cache_batch_idx: torch.Tensor | None = None,
    cache_leftpad: torch.Tensor | None = None,
    block_table: torch.Tensor | None = None,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    rotary_interleaved: bool = True,
    alibi_slopes: torch.Tensor | None = None,
    num_splits: int = 0,
    return_softmax_lse: bool = False,
) -> Any:
    """Attention of new tokens to a cache; stores their keys and values in it."""
    for name, given in (
        ("cache_batch_idx", cache_batch_idx),
        ("cache_leftpad", cache_leftpad),
        ("softcap", softcap or None),
        ("alibi_slopes", alibi_slopes),
    ):
        if given is not None:
            refuse(f"flash_attn_with_kvcache with {name}", "the kernel that is priced has a cache without it")
    if block_table is not None and k is not None:
        refuse("flash_attn_with_kvcache with block_table and new keys", "write them to their pages before the call")
    how = How(causal, tuple(window_size), softmax_scale)
    check(q, k_cache, v_cache, how)
    lengths = lengths_of(cache_seqlens, q)
    if k is not None and v is not None:
        assert lengths is not None, "cache_seqlens must be given with new keys"
        if rotary_cos is not None:
            q, k = turned(q, k, rotary_cos, rotary_sin, rotary_interleaved, lengths, causal or window_size != (-1, -1))
        put(k_cache, k, lengths)
        put(v_cache, v, lengths)
        lengths = lengths + k.shape[1]
    pages = {} if block_table is None else {"block_table": block_table}
    made = torch.ops.aten._flash_attention_forward(
        q,
        k_cache,
        v_cache,
        *how.rows(q, k_cache),
        0.0,
        causal,
        False,
        **how.seen(),
        seqused_k=lengths,
        **pages,
    )
    return (made[0], made[1]) if return_softmax_lse else made[0]


def lengths_of(given: int | torch.Tensor | None, q: torch.Tensor) -> torch.Tensor | None:
    if isinstance(given, int):
        return torch.full((q.shape[0],), given, dtype=torch.int32, device=q.device)
    return given


def turned(
    q: torch.Tensor, k: torch.Tensor, cos: Any, sin: Any, interleaved: bool, lengths: torch.Tensor, each: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Queries and keys rotated by position; without a mask all queries have the first one's position."""
    from .layers.rotary import apply_rotary_emb

    if not each and q.shape[1] > 1:
        refuse("flash_attn_with_kvcache with rotary, several queries and no mask", "pass causal=True")
    return (
        apply_rotary_emb(q, cos, sin, interleaved, seqlen_offsets=lengths),
        apply_rotary_emb(k, cos, sin, interleaved, seqlen_offsets=lengths),
    )


def put(cache: torch.Tensor, new: torch.Tensor, lengths: torch.Tensor) -> None:
    sequences = torch.arange(new.shape[0], device=new.device).unsqueeze(1)
    places = lengths.long().unsqueeze(1) + torch.arange(new.shape[1], device=new.device)
    cache[sequences, places] = new


def how_below(
    dropout_p: float,
    causal: bool,
    window: tuple[int, int],
    scale: float | None,
    softcap: float,
    slopes: Any,
    packed: Packed | None = None,
) -> How:
    if dropout_p > 0:
        refuse("flash_attn's own forward and backward with dropout", "call flash_attn_func, which keeps its random numbers")
    return How(causal, window, scale, 0.0, softcap, slopes, packed)


def numbers(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, how: How) -> tuple[torch.Tensor, ...]:
    """The result, the logsumexp of each row, no probabilities, no random numbers."""
    q, k, v = (with_last_in_a_row(each) for each in (q, k, v))
    check(q, k, v, how)
    with torch.no_grad():
        result, sums = forward(q, k, v, how)
    return result, sums, q.new_empty(0), torch.empty(2, dtype=torch.int64, device=q.device)


def _flash_attn_forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    dropout_p: float,
    softmax_scale: float,
    causal: bool,
    window_size_left: int,
    window_size_right: int,
    softcap: float,
    alibi_slopes: torch.Tensor | None,
    return_softmax: bool,
) -> tuple[torch.Tensor, ...]:
    window = (window_size_left, window_size_right)
    return numbers(q, k, v, how_below(dropout_p, causal, window, softmax_scale, softcap, alibi_slopes))


def _flash_attn_varlen_forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float,
    softmax_scale: float,
    causal: bool,
    window_size_left: int = -1,
    window_size_right: int = -1,
    softcap: float = 0.0,
    alibi_slopes: torch.Tensor | None = None,
    return_softmax: bool = False,
    block_table: torch.Tensor | None = None,
    leftpad_k: torch.Tensor | None = None,
    seqused_k: torch.Tensor | None = None,
    zero_tensors: bool = False,
) -> tuple[torch.Tensor, ...]:
    refuse_pages(block_table)
    if leftpad_k is not None or seqused_k is not None:
        refuse("flash_attn with leftpad_k or seqused_k", "packed sequences have no padding")
    packed = Packed(cu_seqlens_q, cu_seqlens_k, int(max_seqlen_q), int(max_seqlen_k))
    window = (window_size_left, window_size_right)
    return numbers(q, k, v, how_below(dropout_p, causal, window, softmax_scale, softcap, alibi_slopes, packed))


def gradients(
    dout: torch.Tensor, made: tuple[torch.Tensor, ...], given: tuple[Any, Any, Any], how: How
) -> torch.Tensor:
    """Fill the given gradients. Returns one number per row, which the real kernel keeps."""
    dout, *made = (with_last_in_a_row(each) for each in (dout, *made))
    filled = tuple(torch.empty_like(each) if into is None else into for into, each in zip(given, made, strict=False))
    backward_into(dout, tuple(made), filled, how)
    return torch.empty_like(made[4])


def _flash_attn_backward(
    dout: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    softmax_lse: torch.Tensor,
    dq: torch.Tensor | None,
    dk: torch.Tensor | None,
    dv: torch.Tensor | None,
    dropout_p: float,
    softmax_scale: float,
    causal: bool,
    window_size_left: int,
    window_size_right: int,
    softcap: float,
    alibi_slopes: torch.Tensor | None,
    deterministic: bool,
    rng_state: torch.Tensor | None = None,
) -> torch.Tensor:
    how = how_below(dropout_p, causal, (window_size_left, window_size_right), softmax_scale, softcap, alibi_slopes)
    return gradients(dout, (q, k, v, out, softmax_lse), (dq, dk, dv), how)


def _flash_attn_varlen_backward(
    dout: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    softmax_lse: torch.Tensor,
    dq: torch.Tensor | None,
    dk: torch.Tensor | None,
    dv: torch.Tensor | None,
    cu_seqlens_q: torch.Tensor,
    cu_seqlens_k: torch.Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float,
    softmax_scale: float,
    causal: bool,
    window_size_left: int,
    window_size_right: int,
    softcap: float,
    alibi_slopes: torch.Tensor | None,
    deterministic: bool,
    rng_state: torch.Tensor | None = None,
    zero_tensors: bool = False,
) -> torch.Tensor:
    packed = Packed(cu_seqlens_q, cu_seqlens_k, int(max_seqlen_q), int(max_seqlen_k))
    window = (window_size_left, window_size_right)
    how = how_below(dropout_p, causal, window, softmax_scale, softcap, alibi_slopes, packed)
    return gradients(dout, (q, k, v, out, softmax_lse), (dq, dk, dv), how)


# Names that wrappers of FlashAttention look up: its operators as registered with torch.library.
_wrapped_flash_attn_forward = _flash_attn_forward
_wrapped_flash_attn_backward = _flash_attn_backward
_wrapped_flash_attn_varlen_forward = _flash_attn_varlen_forward
_wrapped_flash_attn_varlen_backward = _flash_attn_varlen_backward
