"""FlashAttention beyond ATen's kernel: capped or biased scores; gradients written into the caller's memory from logsumexps that
the caller supplies, as ring attention needs; and FlashAttention 3.

The names are those of ATen's kernels, and so is the price.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Iterator
from typing import Any

from ..kernel import kernel

torch: Any = importlib.import_module("torch")

SEEN = (
    "Tensor? cum_seq_q, Tensor? cum_seq_k, int max_q, int max_k, bool is_causal, *, float? scale=None, "
    "int window_size_left=-1, int window_size_right=-1, float softcap=0.0, Tensor? alibi_slopes=None, int flash_version=0"
)


@dataclasses.dataclass(frozen=True)
class Scores:
    """Masking and scaling of attention scores."""

    is_causal: bool
    scale: float | None = None
    window_size_left: int = -1
    window_size_right: int = -1
    softcap: float = 0.0
    alibi_slopes: Any = None
    flash_version: int = 0
    """The version that sets the price; 0: the run's."""

    def scale_of(self, query: Any) -> float:
        return float(query.shape[-1] ** -0.5) if self.scale is None else self.scale

    def of(self, query: Any, key: Any, sequence: int) -> tuple[Any, Any]:
        """Scores [heads, queries, keys] of [tokens, heads, width] in single precision, and the derivative of the softcap."""
        scores = torch.einsum("qhd,khd->hqk", query, key) * self.scale_of(query)
        kept = torch.ones(())
        if self.softcap > 0:
            shares = (scores / self.softcap).tanh()
            scores, kept = self.softcap * shares, 1 - shares.square()
        queries, keys = scores.shape[-2:]
        # The last query aligns with the last key.
        distance = torch.arange(keys) - (torch.arange(queries).unsqueeze(1) + keys - queries)
        if self.alibi_slopes is not None:
            slopes = self.alibi_slopes if self.alibi_slopes.dim() == 1 else self.alibi_slopes[sequence]
            scores = scores - slopes.float().view(-1, 1, 1) * distance.abs()
        return scores.masked_fill(self.hidden(distance), -math.inf), kept

    def hidden(self, distance: Any) -> Any:
        latest = 0 if self.is_causal else self.window_size_right
        hidden = torch.zeros_like(distance, dtype=torch.bool)
        if latest >= 0:
            hidden |= distance > latest
        if self.window_size_left >= 0:
            hidden |= distance < -self.window_size_left
        return hidden


def sequences(starts: Any, *tensors: Any) -> Iterator[tuple[Any, ...]]:
    """The tensors of each sequence, in a batch or packed."""
    if starts is None:
        yield from zip(*(each.unbind(0) for each in tensors))
        return
    places = starts.tolist()
    for begin, end in zip(places, places[1:]):
        yield tuple(each[begin:end] for each in tensors)


def for_heads(tensor: Any, heads: int) -> Any:
    """Keys or values repeated for each query head, in single precision."""
    return tensor.float().repeat_interleave(heads // tensor.shape[1], 1)


def of_groups(gradient: Any, heads: int) -> Any:
    return gradient.unflatten(1, (heads, -1)).sum(2)


def sums_of(query: Any) -> Any:
    return query.new_empty(*query.shape[:-3], query.shape[-2], query.shape[-3], dtype=torch.float32)


def attend(query: Any, key: Any, value: Any, result: Any, sums: Any, starts: Any, key_starts: Any, how: Scores) -> None:
    """Fill the result, and the logsumexp of each row, [heads, tokens]: infinity for a row without visible keys."""
    each = zip(sequences(starts, query, result, sums.transpose(-1, -2)), sequences(key_starts, key, value))
    for i, ((q, out, row), (k, v)) in enumerate(each):
        heads = q.shape[1]
        scores, _ = how.of(q.float(), for_heads(k, heads), i)
        total = scores.logsumexp(-1)
        total.masked_fill_(total == -math.inf, math.inf)
        out.copy_(torch.einsum("hqk,khd->qhd", (scores - total.unsqueeze(-1)).exp(), for_heads(v, heads)))
        row.copy_(total.transpose(0, 1))


@kernel(f"_flash_attention_forward(Tensor query, Tensor key, Tensor value, {SEEN}) -> (Tensor, Tensor)")
def flash_attention_forward(
    query: Any, key: Any, value: Any, starts: Any, key_starts: Any, most: int, most_keys: int, is_causal: bool, **seen: Any
) -> tuple[Any, Any]:
    """The result, and the logsumexp of each row."""
    result, sums = query.new_empty(*query.shape[:-1], value.shape[-1]), sums_of(query)
    if not query.is_meta:
        attend(query, key, value, result, sums, starts, key_starts, Scores(is_causal, **seen))
    return result, sums


@kernel(f"_flash_attention_forward_into(Tensor query, Tensor key, Tensor value, Tensor(a!) out, {SEEN}) -> Tensor")
def flash_attention_forward_into(
    query: Any,
    key: Any,
    value: Any,
    out: Any,
    starts: Any,
    key_starts: Any,
    most: int,
    most_keys: int,
    is_causal: bool,
    **seen: Any,
) -> Any:
    """Writes the result into the caller's memory. Returns the logsumexp of each row."""
    sums = sums_of(query)
    if not query.is_meta:
        attend(query, key, value, out, sums, starts, key_starts, Scores(is_causal, **seen))
    return sums


@kernel(
    "_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, "
    f"Tensor(a!) grad_query, Tensor(b!) grad_key, Tensor(c!) grad_value, {SEEN}) -> ()"
)
def flash_attention_backward(
    grad_out: Any,
    query: Any,
    key: Any,
    value: Any,
    out: Any,
    logsumexp: Any,
    grad_query: Any,
    grad_key: Any,
    grad_value: Any,
    starts: Any,
    key_starts: Any,
    most: int,
    most_keys: int,
    is_causal: bool,
    **seen: Any,
) -> None:
    """The logsumexps may cover more keys than are here; the gradients then are the contribution of these keys."""
    if query.is_meta:
        return
    how = Scores(is_causal, **seen)
    rows = sequences(starts, grad_out, query, out, logsumexp.transpose(-1, -2), grad_query)
    columns = sequences(key_starts, key, value, grad_key, grad_value)
    for i, ((g, q, o, row, into_query), (k, v, into_key, into_value)) in enumerate(zip(rows, columns)):
        heads, key_heads = q.shape[1], k.shape[1]
        g, q, keys = g.float(), q.float(), for_heads(k, heads)
        scores, kept = how.of(q, keys, i)
        shares = (scores - row.transpose(0, 1).unsqueeze(-1)).exp()
        of_shares = torch.einsum("qhd,khd->hqk", g, for_heads(v, heads))
        along_rows = (g * o.float()).sum(-1).transpose(0, 1).unsqueeze(-1)
        of_scores = shares * (of_shares - along_rows) * kept * how.scale_of(q)
        into_query.copy_(torch.einsum("hqk,khd->qhd", of_scores, keys))
        into_key.copy_(of_groups(torch.einsum("hqk,qhd->khd", of_scores, q), key_heads))
        into_value.copy_(of_groups(torch.einsum("hqk,qhd->khd", shares, g), key_heads))
