"""Context parallelism: each rank has an early and a late part of the tokens, and keys and values travel around the ring.

Of 2n parts, rank r of n has parts r and 2n - 1 - r, so that a causal mask gives all ranks the same amount of work.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from ndsim.torchrun.stand_ins.refused import not_simulated

from . import kernels


def attention(module: Any, query: Any, key: Any, value: Any, dropout: float, kind: str, window: Any) -> Any:
    if kind not in ("causal", "no_mask") or window not in ((-1, -1), (-1, 0)):
        not_simulated(f"context parallelism with the mask {kind} or a window", "take a causal mask, or none")
    causal = kind == "causal"
    way = module.cp_comm_type
    if way == "a2a":
        return by_all_to_all(module, query, key, value, dropout, causal)
    if way == "all_gather":
        return by_all_gather(module, query, key, value, dropout, causal)
    if way != "p2p":
        not_simulated(f"context parallelism by {way}", "take p2p, a2a or all_gather")
    return Ring.apply(query, key, value, dropout, causal, module.softmax_scale, module.cp_group, module.cp_global_ranks)


class Exchange:
    """Sends a tensor to the next rank while receiving one from the previous rank."""

    def __init__(self, group: Any, ranks: list[int]) -> None:
        own = dist.get_rank(group)
        self.group = group
        self.to, self.source = ranks[(own + 1) % len(ranks)], ranks[own - 1]

    def begin(self, given: Any) -> tuple[Any, list[Any]]:
        made = torch.empty_like(given)
        calls = [
            dist.P2POp(dist.isend, given, self.to, self.group),
            dist.P2POp(dist.irecv, made, self.source, self.group),
        ]
        return made, dist.batch_isend_irecv(calls)


def halves(given: Any) -> tuple[Any, Any]:
    """The early and the late tokens of [batch, heads, tokens, width]."""
    return given.chunk(2, 2)


def parts_of(step: int, rank: int, causal: bool, query: Any, key: Any, value: Any) -> tuple[Any, Any, Any, bool]:
    """The queries, keys and values of a step; the keys are those of the rank `step` places before."""
    if not causal:
        return query, key, value, False
    if step == 0:
        return query, key, value, True
    if step <= rank:
        return query, halves(key)[0], halves(value)[0], False
    return halves(query)[1], key, value, False


class Ring(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, query: Any, key: Any, value: Any, dropout: float, causal: bool, scale: float, group: Any, ranks: list[int]
    ) -> Any:
        size, rank = len(ranks), dist.get_rank(group)
        exchange = Exchange(group, ranks)
        pair = torch.stack((key, value))
        result = sums = None
        states: list[Any] = []
        for step in range(size):
            coming = exchange.begin(pair) if step + 1 < size else None
            q, k, v, is_causal = parts_of(step, rank, causal, query, *pair.unbind(0))
            made, scores, *state = kernels.forward(q, k, v, dropout, is_causal, scale)
            states += state
            scores = scores.squeeze(-1) if scores.dim() == 4 else scores
            if result is None:
                result, sums = made.float(), scores
            elif q.shape[2] == query.shape[2]:
                result, sums = joined(result, sums, made.float(), scores)
            else:
                late = joined(halves(result)[1], sums.chunk(2, 2)[1], made.float(), scores)
                result = torch.cat((halves(result)[0], late[0]), 2)
                sums = torch.cat((sums.chunk(2, 2)[0], late[1]), 2)
            if coming is not None:
                pair, works = coming
                for work in works:
                    work.wait()
        order = like_memory_of(query, result.to(query.dtype))
        ctx.save_for_backward(query, key, value, order, sums, *states)
        ctx.how = dropout, causal, scale, group, ranks
        return order

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        query, key, value, result, sums, *states = ctx.saved_tensors
        dropout, causal, scale, group, ranks = ctx.how
        size, rank = len(ranks), dist.get_rank(group)
        exchange = Exchange(group, ranks)
        pair = torch.stack((key, value))
        of_query = torch.zeros_like(query, dtype=torch.float32)
        of_pair = torch.zeros_like(pair, dtype=torch.float32)
        for step in range(size):
            coming = exchange.begin(pair) if step + 1 < size else None
            q, k, v, is_causal = parts_of(step, rank, causal, query, *pair.unbind(0))
            late = q.shape[2] != query.shape[2]
            grad, made, scores = (halves(grads[0])[1], halves(result)[1], sums.chunk(2, 2)[1]) if late else (grads[0], result, sums)
            # The step's kernel draws the same random numbers again.
            state = states[2 * step], states[2 * step + 1]
            found = kernels.backward(grad, q, k, v, made, scores.contiguous().unsqueeze(-1), state, dropout, is_causal, scale)
            (halves(of_query)[1] if late else of_query).add_(found[0])
            target = of_pair[:, :, :, : k.shape[2]]
            target[0].add_(found[1])
            target[1].add_(found[2])
            # Gradient sums travel around the ring with their keys, plus one step home.
            of_pair, works = exchange.begin(of_pair)
            if coming is not None:
                pair, more = coming
                works = [*works, *more]
            for work in works:
                work.wait()
        return (of_query.to(query.dtype), of_pair[0].to(key.dtype), of_pair[1].to(value.dtype), None, None, None, None, None)


def joined(first: Any, sums: Any, second: Any, more: Any) -> tuple[Any, Any]:
    """Combines two results over different keys, weighted by their logsumexps."""
    both = torch.logaddexp(sums, more)
    weights = (sums - both).exp().unsqueeze(-1), (more - both).exp().unsqueeze(-1)
    return first * weights[0] + second * weights[1], both


def like_memory_of(query: Any, result: Any) -> Any:
    return torch.empty_like(query).copy_(result)


class Swap(torch.autograd.Function):
    """[batch, heads, tokens / n, width] becomes [batch, heads / n, tokens, width], or vice versa."""

    @staticmethod
    def forward(ctx: Any, given: Any, gather: int, scatter: int, group: Any) -> Any:
        ctx.how = scatter, gather, group
        return swapped(given, gather, scatter, group)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return swapped(grads[0], *ctx.how), None, None, None


def swapped(given: Any, gather: int, scatter: int, group: Any) -> Any:
    size = dist.get_world_size(group)
    sent = torch.stack([part.contiguous() for part in given.chunk(size, scatter)])
    got = torch.empty_like(sent)
    dist.all_to_all_single(got, sent, group=group)
    return torch.cat(list(got.unbind(0)), gather)


def in_order(given: Any, size: int, to_order: bool) -> Any:
    """Sorts tokens from their order on ranks (rank r: parts r and 2n - 1 - r) into sequence order, or back."""
    parts = list(given.chunk(2 * size, 2))
    places = [place for rank in range(size) for place in (rank, 2 * size - 1 - rank)]
    made = [parts[places.index(i)] for i in range(2 * size)] if to_order else [parts[place] for place in places]
    return torch.cat(made, 2)


def by_all_to_all(module: Any, query: Any, key: Any, value: Any, dropout: float, causal: bool) -> Any:
    """Each rank takes some heads, for all tokens."""
    group = module.cp_group
    size = dist.get_world_size(group)
    whole = [in_order(Swap.apply(each, 2, 1, group), size, True) for each in (query, key, value)]
    made = module.attend(*whole, None, "causal" if causal else "no_mask", (-1, -1), None, dropout)
    return Swap.apply(in_order(made, size, False), 1, 2, group)


class Gathered(torch.autograd.Function):
    """Gathers all ranks' tokens."""

    @staticmethod
    def forward(ctx: Any, given: Any, group: Any) -> Any:
        ctx.group = group
        size = dist.get_world_size(group)
        made = given.new_empty((size, *given.shape))
        dist.all_gather_into_tensor(made, given.contiguous(), group=group)
        return torch.cat(list(made.unbind(0)), 2)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        size = dist.get_world_size(ctx.group)
        parts = torch.stack([part.contiguous() for part in grads[0].chunk(size, 2)])
        made = torch.empty_like(parts[0])
        dist.reduce_scatter_tensor(made, parts, group=ctx.group)
        return made, None


def by_all_gather(module: Any, query: Any, key: Any, value: Any, dropout: float, causal: bool) -> Any:
    """Each rank takes its queries and all keys that they see."""
    group = module.cp_group
    size, rank = dist.get_world_size(group), dist.get_rank(group)
    keys, values = (in_order(Gathered.apply(each, group), size, True) for each in (key, value))
    if not causal:
        return module.attend(query, keys, values, None, "no_mask", (-1, -1), None, dropout)
    step = query.shape[2] // 2
    made = []
    for part, place in zip(halves(query), (rank, 2 * size - 1 - rank)):
        seen = (place + 1) * step
        made.append(module.attend(part, keys[:, :, :seen], values[:, :, :seen], None, "causal_bottom_right", (-1, -1), None, dropout))
    return torch.cat(made, 2)
