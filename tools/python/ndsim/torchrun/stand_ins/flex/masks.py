"""The number of keys that a query attends to under flex_attention's mask.

The kernel computes every block of keys that contains an unmasked pair; its block lists name these. A large mask has no lists in a
hollow run, so some pairs of each block are tested with the mask's functions. A part of the mask that depends on tensors with
unknown numbers counts as letting every pair pass.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ....torch.making import loader
from .calls import on_the_host

Mask = Callable[[Any, Any, Any, Any], Any]



@dataclasses.dataclass(frozen=True)
class Shape:
    """Shape of a mask."""

    batch: int
    heads: int
    queries: int
    keys: int
    query_block: int
    key_block: int


_asked: weakref.WeakKeyDictionary[Mask, dict[Shape, float]] = weakref.WeakKeyDictionary()
PER_SIDE = 4
"""Queries and keys tested per block in a hollow run; exact for windows, documents and similar masks."""
PAIRS_AT_ONCE = 1 << 22

def captured(value: Any, depth: int = 4) -> Iterator[Any]:
    """The tensors that a function captures."""
    torch: Any = importlib.import_module("torch")
    if isinstance(value, torch.Tensor):
        yield value
        return
    parts: list[Any] = []
    if isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    elif isinstance(value, dict):
        parts = list(value.values())
    elif callable(value):
        cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or () if cell_is_full(cell)]
        parts = [*cells, *(getattr(value, "__defaults__", None) or ()), *vars_of(getattr(value, "__self__", value))]
    if depth:
        for part in parts:
            yield from captured(part, depth - 1)


def cell_is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def vars_of(owner: Any) -> list[Any]:
    return list(getattr(owner, "__dict__", {}).values())


def parts_of(mask: Mask) -> list[Mask]:
    """The masks of a conjunction, all of which a pair has to pass."""
    if getattr(mask, "__qualname__", "") == "and_masks.<locals>.and_mask":
        held = dict(zip(mask.__code__.co_freevars, mask.__closure__ or ()))
        return [part for each in held["mask_mods"].cell_contents for part in parts_of(each)]
    return [mask]


def keys_met(mask: tuple[Any, ...], queries: int, keys: int) -> int:
    """Average number of keys per query; `mask` is a BlockMask as a tuple."""
    *_, query_block, key_block, function = mask
    lists = lists_of(mask)
    blocks = mean_of(lists)
    if blocks is None:
        batch, heads, _ = lists[0].shape
        blocks = blocks_asked_for(function, Shape(batch, heads, queries, keys, query_block, key_block))
    return max(1, min(keys, round(blocks * key_block)))


def lists_of(mask: tuple[Any, ...]) -> list[Any]:
    """Per block of queries, the number of key blocks computed with the mask, and without it."""
    torch: Any = importlib.import_module("torch")
    partial, _, whole, *_ = (part for part in mask if part is None or isinstance(part, torch.Tensor))
    return [part for part in (partial, whole) if part is not None]


def mean_of(lists: list[Any]) -> float | None:
    """Key blocks per query block, if known."""
    slot: Any = loader.loaded_slot()
    if any(slot.is_hollow(part) for part in lists):
        return None
    return float(sum((slot.on_cpu(part) if part.is_cuda else part).double().mean() for part in lists))


def blocks_asked_for(mask: Mask, shape: Shape) -> float:
    """Key blocks per query block, estimated by testing some pairs with the mask's functions."""
    try:
        known = _asked.setdefault(mask, {})
    except TypeError:
        known = {}
    if shape not in known:
        slot: Any = loader.loaded_slot()
        parts = [part for part in parts_of(mask) if not any(slot.is_hollow(tensor) for tensor in captured(part))]
        with on_the_host()():
            some, _ = blocks_passed(parts, shape, PER_SIDE)
        known[shape] = float(some.sum(3).double().mean())
    return known[shape]


def blocks_passed(masks: list[Mask], shape: Shape, per_side: int | None = None) -> tuple[Any, Any]:
    """For each block, by batch, head, queries and keys: whether some pair passes, and whether all do.

    Tests a limited number of pairs at a time: `per_side` rows and columns of each block, from the first to the last; None: all.
    """
    torch: Any = importlib.import_module("torch")
    columns, are_columns = places(shape.keys, shape.key_block, per_side)
    rows, are_rows = places(shape.queries, shape.query_block, per_side)
    at_once = max(1, PAIRS_AT_ONCE // (rows.shape[1] * columns.numel() * shape.batch * shape.heads))
    some, every = [], []
    for chunk, are_chunk in zip(rows.split(at_once), are_rows.split(at_once)):
        passes = are_chunk.view(-1, 1) & are_columns.view(1, -1)
        for mask in masks:
            passes = passes & pairs_passed(mask, shape, chunk.flatten(), columns.flatten())
        blocks = passes.expand(shape.batch, shape.heads, -1, -1).view(shape.batch, shape.heads, *chunk.shape, *columns.shape)
        some.append(blocks.any(5).any(3))
        every.append(blocks.all(5).all(3))
    return torch.cat(some, 2), torch.cat(every, 2)


def places(end: int, size: int, per_side: int | None) -> tuple[Any, Any]:
    """The places tested in each block, one row per block, and whether each exists: the last block may be shorter."""
    torch: Any = importlib.import_module("torch")
    count = min(size, per_side or size)
    inside = torch.arange(count) * (size - 1) // max(1, count - 1)
    all_places = torch.arange(-(-end // size)).unsqueeze(1) * size + inside
    return all_places.clamp(max=end - 1), all_places < end


def pairs_passed(mask: Mask, shape: Shape, rows: Any, columns: Any) -> Any:
    """Calls the mask as PyTorch does: on single pairs, vectorised."""
    torch: Any = importlib.import_module("torch")
    module: Any = importlib.import_module("torch.nn.attention.flex_attention")
    index: Any = importlib.import_module("torch._dynamo._trace_wrapped_higher_order_op").TransformGetItemToIndex
    with index():
        return module._vmap_for_bhqkv(mask, prefix=())(torch.arange(shape.batch), torch.arange(shape.heads), rows, columns)
