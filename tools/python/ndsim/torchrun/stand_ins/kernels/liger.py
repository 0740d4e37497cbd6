"""Liger's kernels: norms, gated units, rotary embeddings and cross entropy, each one kernel that writes to the caller's buffers.

Computation and precision follow its Triton sources. A row is read from memory once, for its statistics and for the result
computed with them: the second read hits the cache.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from ..kernel import kernel

Tensor = Any

LLAMA, GEMMA = 0, 1  # casting modes; otherwise statistics have the type of the input


def sums_of_programs(rows: Tensor, programs: int) -> Tensor:
    """Row sums as computed by `programs` programs, each over consecutive rows: [programs, width]."""
    share = -(-rows.shape[0] // programs)
    return F.pad(rows, (0, 0, 0, share * programs - rows.shape[0])).view(programs, share, -1).sum(1)


def normed(rows: Tensor, weight: Tensor, eps: float, offset: float, casting: int, y: Tensor, rstd: Tensor) -> None:
    given = rows.float() if casting in (LLAMA, GEMMA) else rows
    inverse = (given.square().mean(-1, keepdim=True) + eps).rsqrt()
    rstd.copy_(inverse.flatten())
    made = given * inverse
    if casting == LLAMA:
        made = made.to(rows.dtype)
    y.copy_(made if weight is None else made * (offset + weight.float()))


@kernel("liger_rms_norm(Tensor x, Tensor? weight, float eps, float offset, int casting, Tensor(a!) y, Tensor(b!) rstd) -> ()")
def rms_norm(x: Tensor, weight: Tensor, eps: float, offset: float, casting: int, y: Tensor, rstd: Tensor) -> None:
    if not x.is_meta:
        normed(x, weight, eps, offset, casting, y, rstd)


@kernel(
    "liger_add_rms_norm(Tensor x, Tensor residual, Tensor? weight, float eps, float offset, int casting, "
    "Tensor(a!) y, Tensor(b!) total, Tensor(c!) rstd) -> ()"
)
def add_rms_norm(
    x: Tensor, residual: Tensor, weight: Tensor, eps: float, offset: float, casting: int, y: Tensor, total: Tensor, rstd: Tensor
) -> None:
    if not x.is_meta:
        total.copy_(x + residual)
        normed(total, weight, eps, offset, casting, y, rstd)


@kernel(
    "liger_rms_norm_backward(Tensor dy, Tensor? of_total, Tensor x, Tensor? weight, Tensor rstd, float offset, int casting, "
    "Tensor(a!) dx, Tensor(b!)? dw) -> ()"
)
def rms_norm_backward(
    dy: Tensor,
    of_total: Tensor,
    x: Tensor,
    weight: Tensor,
    rstd: Tensor,
    offset: float,
    casting: int,
    dx: Tensor,
    dw: Tensor,
) -> None:
    """The gradient of x, plus that of the residual sum if given; and the weight's, one part per program."""
    if dy.is_meta:
        return
    inverse, grad = rstd.float().view(-1, 1), dy.float()
    normal = x.float() * inverse
    scaled = grad if weight is None else grad * (weight.float() + offset)
    found = inverse * (scaled - normal * (scaled * normal).mean(-1, keepdim=True))
    if of_total is not None:
        found = found + of_total.float()
    if dw is not None:
        dw.copy_(sums_of_programs(grad * (normal.to(x.dtype).float() if casting == LLAMA else normal), dw.shape[0]))
    dx.copy_(found)


@kernel(
    "liger_layer_norm(Tensor x, Tensor weight, Tensor bias, float eps, Tensor(a!) y, Tensor(b!) mean, Tensor(c!) rstd) -> ()"
)
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float, y: Tensor, mean: Tensor, rstd: Tensor) -> None:
    if not x.is_meta:
        made = torch.native_layer_norm(x.float(), weight.shape, weight.float(), bias.float(), eps)
        for into, each in zip((y, mean, rstd), made):
            into.copy_(each.view(into.shape))


@kernel(
    "liger_layer_norm_backward(Tensor dy, Tensor x, Tensor weight, Tensor mean, Tensor rstd, Tensor(a!) dx, Tensor(b!)? dw, "
    "Tensor(c!)? db) -> ()"
)
def layer_norm_backward(
    dy: Tensor, x: Tensor, weight: Tensor, mean: Tensor, rstd: Tensor, dx: Tensor, dw: Tensor, db: Tensor
) -> None:
    if dy.is_meta:
        return
    grad, inverse = dy.float(), rstd.view(-1, 1)
    normal = (x.float() - mean.view(-1, 1)) * inverse
    scaled = grad * weight.float()
    found = scaled - (normal * (normal * scaled).mean(-1, keepdim=True) + scaled.mean(-1, keepdim=True))
    for into, rows in ((dw, grad * normal), (db, grad)):
        if into is not None:
            into.copy_(sums_of_programs(rows, into.shape[0]))
    dx.copy_(found * inverse)


@kernel("liger_rope(Tensor(a!) q, Tensor(b!) k, Tensor cos, Tensor sin, int width, bool backward) -> ()")
def rope(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, width: int, backward: bool) -> None:
    """Rotates [sequences, tokens, heads, width] in place, by angles for the first half of the rotated width."""
    if q.is_meta:
        return
    half = width // 2
    c, s = (table[..., :half].unsqueeze(-2) for table in (cos, -sin if backward else sin))
    for x in (q, k):
        a, b = x[..., :half].to(cos.dtype), x[..., half:width].to(cos.dtype)
        first, second = a * c - b * s, b * c + a * s
        x[..., :half].copy_(first)
        x[..., half:width].copy_(second)


def activated(gate: Tensor, is_gelu: bool) -> tuple[Tensor, Tensor]:
    """The activation of the gate in single precision, and its derivative."""
    if not is_gelu:
        share = gate.sigmoid()
        return gate * share, share * (1 + gate * (1 - share))
    slope = 0.7978845608028654  # sqrt(2 / pi)
    tanh = (slope * (gate + 0.044715 * gate**3)).tanh()
    derivative = 0.5 * (1 + tanh) + 0.5 * gate * (1 - tanh * tanh) * slope * (1 + 3 * 0.044715 * gate * gate)
    return 0.5 * gate * (1 + tanh), derivative


@kernel("liger_glu(Tensor gate, Tensor up, float multiplier, bool is_gelu, Tensor(a!) made) -> ()")
def glu(gate: Tensor, up: Tensor, multiplier: float, is_gelu: bool, made: Tensor) -> None:
    if not gate.is_meta:
        made.copy_(activated(gate.float() * multiplier, is_gelu)[0].to(up.dtype) * up)


@kernel(
    "liger_glu_backward(Tensor grad, Tensor gate, Tensor up, float multiplier, bool is_gelu, Tensor(a!) of_gate, "
    "Tensor(b!) of_up) -> ()"
)
def glu_backward(
    grad: Tensor, gate: Tensor, up: Tensor, multiplier: float, is_gelu: bool, of_gate: Tensor, of_up: Tensor
) -> None:
    if grad.is_meta:
        return
    active, derivative = activated(gate.float() * multiplier, is_gelu)
    for_gate = grad.float() * derivative * up.float() * multiplier
    of_up.copy_(grad.float() * active)
    of_gate.copy_(for_gate)


@kernel("liger_scale_(Tensor(a!) x, Tensor factor) -> ()")
def scale_in_place(x: Tensor, factor: Tensor) -> None:
    if not x.is_meta:
        x.mul_(factor)
