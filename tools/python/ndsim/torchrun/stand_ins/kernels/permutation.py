"""Sorts tokens by expert, and back: rows by a map [tokens, experts] of which token goes where."""

from __future__ import annotations

from typing import Any

import torch

from ..kernel import kernel

Tensor = Any


@kernel("moe_row_map(Tensor routing_map) -> Tensor")
def moe_row_map(routing: Tensor) -> Tensor:
    """For each token and expert the row in expert order; -1 if the token does not go to the expert."""
    chosen = routing.bool()
    rows = chosen.t().flatten().cumsum(0).view(chosen.shape[1], chosen.shape[0]).t() - 1
    return torch.where(chosen, rows, -1).to(torch.int32)


def places(row_map: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, experts and rows of all assignments."""
    tokens, experts = (row_map >= 0).nonzero(as_tuple=True)
    return tokens, experts, row_map[tokens, experts].long()


@kernel("moe_permute_rows(Tensor input, Tensor row_map, Tensor? probs, int rows) -> (Tensor, Tensor)")
def moe_permute_rows(given: Tensor, row_map: Tensor, probs: Tensor | None, rows: int) -> tuple[Tensor, Tensor]:
    """Rows in expert order, and their probabilities."""
    made = given.new_zeros(rows, given.shape[1])
    kept = given.new_empty(0) if probs is None else probs.new_zeros(rows)
    if given.is_meta:
        return made, kept
    tokens, experts, at = places(row_map)
    made[at] = given[tokens]
    if probs is not None:
        kept[at] = probs[tokens, experts]
    return made, kept


@kernel("moe_unpermute_rows(Tensor input, Tensor row_map, Tensor? probs, Tensor? of_probs) -> (Tensor, Tensor)")
def moe_unpermute_rows(
    given: Tensor, row_map: Tensor, probs: Tensor | None, of_probs: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The sum of a token's rows, weighted by probability if given; and one number per row, in the map's shape."""
    made = torch.zeros(row_map.shape[0], given.shape[1], device=given.device)
    back = given.new_empty(0) if of_probs is None else of_probs.new_zeros(row_map.shape)
    if given.is_meta:
        return made.to(given.dtype), back
    tokens, experts, at = places(row_map)
    rows = given[at].float()
    if probs is not None:
        rows = rows * probs[tokens, experts].float().unsqueeze(1)
    made.index_add_(0, tokens, rows)
    if of_probs is not None:
        back[tokens, experts] = of_probs[at]
    return made.to(given.dtype), back


@kernel("moe_unpermute_rows_bwd(Tensor grad, Tensor input, Tensor row_map, Tensor probs) -> (Tensor, Tensor)")
def moe_unpermute_rows_bwd(grad: Tensor, given: Tensor, row_map: Tensor, probs: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of the rows and of their probabilities."""
    of_rows, of_probs = torch.zeros_like(given), torch.zeros_like(probs)
    if given.is_meta:
        return of_rows, of_probs
    tokens, experts, at = places(row_map)
    of_rows[at] = (grad[tokens].float() * probs[tokens, experts].float().unsqueeze(1)).to(given.dtype)
    of_probs[tokens, experts] = (grad[tokens].float() * given[at].float()).sum(1).to(probs.dtype)
    return of_rows, of_probs


@kernel("moe_sort_chunks(Tensor input, Tensor? probs, Tensor sizes, Tensor order, bool back) -> (Tensor, Tensor)")
def moe_sort_chunks(
    given: Tensor, probs: Tensor | None, sizes: Tensor, order: Tensor, back: bool
) -> tuple[Tensor, Tensor]:
    """Reorders chunks of rows, or restores their order."""
    kept = given.new_empty(0) if probs is None else probs
    if given.is_meta:
        return torch.empty_like(given), torch.empty_like(kept)
    chunks = list(torch.arange(given.shape[0]).split(sizes.tolist()))
    rows = torch.cat([chunks[i] for i in order.tolist()])
    if back:
        rows = rows.argsort()
    return given[rows], kept.clone() if probs is None else kept[rows]
