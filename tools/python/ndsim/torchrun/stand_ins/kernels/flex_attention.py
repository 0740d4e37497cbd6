"""Flex attention as torch.compile fuses it into one kernel: attention that calls functions of the script.

PyTorch's own operator takes the functions and computes on host tensors what the kernel would. The kernel in the namespace ndsim
takes only the tensors and the number of the call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ..kernel import kernel

calls: dict[int, Callable[..., Any]] = {}
"""The function that computes each call's result, by call number."""


@kernel(
    "flex_attention(Tensor query, Tensor key, Tensor value, Tensor call, int keys_met, bool of_max) -> (Tensor, Tensor, Tensor)"
)
def attend(query: Any, key: Any, value: Any, call: Any, keys_met: int, of_max: bool) -> Any:
    """The attention result, the logsumexp of the scores, and the maximum scores if requested."""
    torch: Any = importlib.import_module("torch")
    if query.is_meta:
        statistics = torch.float64 if query.dtype == torch.float64 else torch.float32
        places = query.shape[:-1]
        made = in_order_of(query, query.new_empty(*places, value.shape[-1]))
        return made, query.new_empty(places, dtype=statistics), query.new_empty(places if of_max else 0, dtype=statistics)
    made, sums, *greatest = calls[int(call)](query, key, value)
    return made, sums, greatest[0] if greatest and of_max else sums.new_empty(0)


@kernel(
    "flex_attention_backward(Tensor query, Tensor key, Tensor value, Tensor made, Tensor sums, Tensor? grad, Tensor? grad_sums, "
    "Tensor call, int keys_met) -> (Tensor, Tensor, Tensor)"
)
def attend_backward(
    query: Any, key: Any, value: Any, made: Any, sums: Any, grad: Any, grad_sums: Any, call: Any, keys_met: int
) -> Any:
    """The gradients of queries, keys and values."""
    if query.is_meta:
        return tuple(in_order_of(each, each.new_empty(each.shape)) for each in (query, key, value))
    return calls[int(call)](query, key, value, made, sums, grad, grad_sums)[:3]


@kernel("flex_mask_blocks(Tensor at, Tensor[] held, Tensor call, int pairs, int[] blocks) -> (Tensor, Tensor)")
def mask_blocks(at: Any, held: Any, call: Any, pairs: int, blocks: Any) -> Any:
    """For each block of a mask, whether some pairs pass, and whether all do. `held`: GPU tensors that its functions capture."""
    if at.is_meta:
        return at.new_empty(blocks), at.new_empty(blocks)
    return calls[int(call)]()


def in_order_of(model: Any, made: Any) -> Any:
    """A tensor with the model's memory order of dimensions."""
    hop: Any = importlib.import_module("torch._higher_order_ops.flex_attention")
    return hop._permute_strides(made, model.stride())
