"""The operators that FlashAttention 3 registers with PyTorch: flash_attn_3::fwd and flash_attn_3::bwd.

PyTorch calls them itself if a script selects this version (`torch.nn.attention.activate_flash_attention_impl("FA3")`). Each is
one kernel, at the price of version 3.
"""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.refusals import refuse
from ndsim.torchrun.stand_ins.attending import How, Packed, backward_into, check, forward_into

HOW = "bool is_causal = False, int window_size_left = -1, int window_size_right = -1"
FORWARD = (
    "fwd(Tensor q, Tensor k, Tensor v, Tensor(k_new!)? k_new = None, Tensor(v_new!)? v_new = None, Tensor? q_v = None, "
    "Tensor(out!)? out = None, Tensor? cu_seqlens_q = None, Tensor? cu_seqlens_k = None, Tensor? cu_seqlens_k_new = None, "
    "Tensor? seqused_q = None, Tensor? seqused_k = None, int? max_seqlen_q = None, int? max_seqlen_k = None, "
    "Tensor? page_table = None, Tensor? kv_batch_idx = None, Tensor? leftpad_k = None, Tensor? rotary_cos = None, "
    "Tensor? rotary_sin = None, Tensor? seqlens_rotary = None, Tensor? q_descale = None, Tensor? k_descale = None, "
    f"Tensor? v_descale = None, float? softmax_scale = None, {HOW}, int attention_chunk = 0, float softcap = 0.0, "
    "bool is_rotary_interleaved = False, Tensor? scheduler_metadata = None, int num_splits = 0, bool? pack_gqa = None, "
    "int sm_margin = 0) -> (Tensor(out!), Tensor, Tensor, Tensor)"
)
BACKWARD = (
    "bwd(Tensor dout, Tensor q, Tensor k, Tensor v, Tensor out, Tensor softmax_lse, Tensor(dq!)? dq = None, "
    "Tensor(dk!)? dk = None, Tensor(dv!)? dv = None, Tensor? cu_seqlens_q = None, Tensor? cu_seqlens_k = None, "
    "Tensor? seqused_q = None, Tensor? seqused_k = None, int? max_seqlen_q = None, int? max_seqlen_k = None, "
    f"float? softmax_scale = None, {HOW}, float softcap = 0.0, bool deterministic = False, int sm_margin = 0) "
    "-> (Tensor(dq!), Tensor(dk!), Tensor(dv!), Tensor, Tensor, Tensor, Tensor, Tensor)"
)
# Arguments for generation or fp8 only.
NOT_PRICED = (
    "k_new", "v_new", "q_v", "cu_seqlens_k_new", "seqused_q", "seqused_k", "page_table", "kv_batch_idx", "leftpad_k",
    "rotary_cos", "rotary_sin", "seqlens_rotary", "q_descale", "k_descale", "v_descale", "scheduler_metadata", "attention_chunk",
)  # fmt: skip

_library = torch.library.Library("flash_attn_3", "DEF")


def refuse_given(arguments: dict[str, Any]) -> None:
    """Refuse arguments of a call that the priced kernels lack."""
    for name, value in arguments.items():
        if value is not None and not (isinstance(value, int) and value == 0):
            refuse(f"FlashAttention 3 with {name}", "only training kernels are priced; attend without it")


def named(operator: Any, given: tuple[Any, ...]) -> dict[str, Any]:
    """All arguments of a call by name; PyTorch omits trailing ones that have their defaults."""
    arguments = operator._schema.arguments
    found = {each.name: each.default_value for each in arguments} | dict(zip((each.name for each in arguments), given))
    refuse_given({name: found[name] for name in NOT_PRICED if name in found})
    return found


def how_of(given: dict[str, Any]) -> How:
    packed = None
    if given["cu_seqlens_q"] is not None:
        packed = Packed(given["cu_seqlens_q"], given["cu_seqlens_k"], int(given["max_seqlen_q"]), int(given["max_seqlen_k"]))
    window = (given["window_size_left"], given["window_size_right"])
    return How(given["is_causal"], window, given["softmax_scale"], softcap=given["softcap"], packed=packed, version=3)


def fwd(*positional: Any) -> tuple[torch.Tensor, ...]:
    given = named(torch.ops.flash_attn_3.fwd.default, positional)
    q, k, v, out = (given[name] for name in ("q", "k", "v", "out"))
    how = how_of(given)
    check(q, k, v, how)
    if out is None:
        out = q.new_empty(*q.shape[:-1], v.shape[-1])
    return out, forward_into(q, k, v, out, how), q.new_empty(0), q.new_empty(0)


def bwd(*positional: Any) -> tuple[torch.Tensor, ...]:
    given = named(torch.ops.flash_attn_3.bwd.default, positional)
    made = tuple(given[name] for name in ("q", "k", "v", "out", "softmax_lse"))
    into = (given["dq"], given["dk"], given["dv"])
    found = tuple(torch.empty_like(each) if tensor is None else tensor for tensor, each in zip(into, made))
    backward_into(given["dout"], made, found, how_of(given))
    return *found, torch.empty_like(made[4]), *(made[0].new_empty(0) for _ in range(4))


_library.define(FORWARD)
_library.define(BACKWARD)
_library.impl("fwd", fwd, "CompositeExplicitAutograd")
_library.impl("bwd", bwd, "CompositeExplicitAutograd")
