"""Sorts tokens by expert, and back."""

from __future__ import annotations

from typing import Any

import torch
from ndsim.torchrun.stand_ins.kernels import permutation as kernels
from ndsim.torchrun.stand_ins.refused import not_simulated


class Permute(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Any, routing: Any, probs: Any, rows: int) -> Any:
        row_map = kernels.moe_row_map(routing)
        made, kept = kernels.moe_permute_rows(given, row_map, probs, rows)
        ctx.save_for_backward(row_map)
        ctx.mark_non_differentiable(row_map)
        return made, kept, row_map

    @staticmethod
    def backward(ctx: Any, grad: Any, of_probs: Any, _: Any) -> Any:
        (row_map,) = ctx.saved_tensors
        wanted = of_probs if ctx.needs_input_grad[2] else None
        made, back = kernels.moe_unpermute_rows(grad, row_map, None, wanted)
        return made, None, None if wanted is None else back, None


class Unpermute(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Any, row_map: Any, probs: Any) -> Any:
        ctx.save_for_backward(given if probs is not None else None, row_map, probs)
        ctx.rows = given.shape[0]
        return kernels.moe_unpermute_rows(given, row_map, probs, None)[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        given, row_map, probs = ctx.saved_tensors
        if probs is None:
            return kernels.moe_permute_rows(grads[0], row_map, None, ctx.rows)[0], None, None
        of_rows, of_probs = kernels.moe_unpermute_rows_bwd(grads[0], given, row_map, probs)
        return of_rows, None, of_probs


class SortChunks(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Any, probs: Any, sizes: Any, order: Any) -> Any:
        ctx.save_for_backward(sizes, order)
        return kernels.moe_sort_chunks(given, probs, sizes, order, False)

    @staticmethod
    def backward(ctx: Any, grad: Any, of_probs: Any) -> Any:
        wanted = of_probs if ctx.needs_input_grad[1] else None
        made, back = kernels.moe_sort_chunks(grad, wanted, *ctx.saved_tensors, True)
        return made, None if wanted is None else back, None, None


def check_map(map_type: str) -> None:
    if map_type != "mask":
        not_simulated(f"transformer_engine's permutation by {map_type}", "give a mask")


def rows_for(routing: Any, num_out_tokens: int) -> int:
    return num_out_tokens if num_out_tokens > 0 else int(routing.sum())


def moe_permute(
    inp: Any, routing_map: Any, num_out_tokens: int = -1, max_token_num: int = -1, map_type: str = "mask"
) -> tuple[Any, Any]:
    check_map(map_type)
    made, _, row_map = Permute.apply(inp, routing_map, None, rows_for(routing_map, num_out_tokens))
    return made, row_map


def moe_permute_with_probs(inp: Any, probs: Any, routing_map: Any, num_out_tokens: int = -1) -> tuple[Any, Any, Any]:
    return Permute.apply(inp, routing_map, probs, rows_for(routing_map, num_out_tokens))


def moe_unpermute(
    inp: Any, row_id_map: Any, merging_probs: Any = None, restore_shape: Any = None, map_type: str = "mask", probs: Any = None
) -> Any:
    check_map(map_type)
    return Unpermute.apply(inp, row_id_map, merging_probs if probs is None else probs)


def moe_sort_chunks_by_index(inp: Any, split_sizes: Any, sorted_index: Any) -> Any:
    return SortChunks.apply(inp, None, split_sizes, sorted_index)[0]


def moe_sort_chunks_by_index_with_probs(inp: Any, probs: Any, split_sizes: Any, sorted_index: Any) -> tuple[Any, Any]:
    return SortChunks.apply(inp, probs, split_sizes, sorted_index)
