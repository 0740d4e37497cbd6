"""How many keys a query meets under flex_attention's mask.

The kernel computes each block of keys whole in which the mask lets a pair pass. Its lists of blocks say which those are. In a
hollow run a large mask has none: there its functions are asked for some pairs of each block. What they take from tensors whose
numbers nobody knows counts as if it let everything pass.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ...torch.making import loader
from .host_numbers import on_the_host

Mask = Callable[[Any, Any, Any, Any], Any]

_asked: weakref.WeakKeyDictionary[Mask, dict[tuple[int, ...], float]] = weakref.WeakKeyDictionary()
PER_SIDE = 4
"""So many queries and keys of a block are asked for, from the first to the last."""
MOST_PAIRS = 1 << 22
"""Where there are more, equally distant blocks of queries stand for all."""

def captured(value: Any, depth: int = 4) -> Iterator[Any]:
    """The tensors that a function holds on to."""
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
    """The masks that all have to let a pair pass."""
    if getattr(mask, "__qualname__", "") == "and_masks.<locals>.and_mask":
        held = dict(zip(mask.__code__.co_freevars, mask.__closure__ or ()))
        return [part for each in held["mask_mods"].cell_contents for part in parts_of(each)]
    return [mask]


def keys_met(mask: tuple[Any, ...], queries: int, keys: int) -> int:
    """By a query, on average; `mask` is a BlockMask as a tuple."""
    *_, query_block, key_block, function = mask
    lists = lists_of(mask)
    blocks = mean_of(lists)
    if blocks is None:
        batch, heads, _ = lists[0].shape
        blocks = blocks_asked_for(function, (batch, heads, queries, keys, query_block, key_block))
    return max(1, min(keys, round(blocks * key_block)))


def lists_of(mask: tuple[Any, ...]) -> list[Any]:
    """Of each block of queries, the number of blocks of keys that are computed with the mask, and without it."""
    torch: Any = importlib.import_module("torch")
    partial, _, whole, *_ = (part for part in mask if part is None or isinstance(part, torch.Tensor))
    return [part for part in (partial, whole) if part is not None]


def mean_of(lists: list[Any]) -> float | None:
    """Blocks of keys for a block of queries, if that is known."""
    slot: Any = loader.loaded_slot()
    if any(slot.is_hollow(part) for part in lists):
        return None
    return float(sum((slot.on_cpu(part) if part.is_cuda else part).double().mean() for part in lists))


def blocks_asked_for(mask: Mask, shape: tuple[int, ...]) -> float:
    """Blocks of keys for a block of queries, as the mask's functions say of some pairs."""
    try:
        known = _asked.setdefault(mask, {})
    except TypeError:
        known = {}
    if shape not in known:
        slot: Any = loader.loaded_slot()
        parts = [part for part in parts_of(mask) if not any(slot.is_hollow(tensor) for tensor in captured(part))]
        with on_the_host()():
            known[shape] = blocks_passed(parts, shape)
    return known[shape]


def blocks_passed(masks: list[Mask], shape: tuple[int, ...]) -> float:
    batch, heads, queries, keys, query_block, key_block = shape
    torch: Any = importlib.import_module("torch")
    columns = places(torch.arange(-(-keys // key_block)), key_block, keys)
    rows_at_once = max(1, MOST_PAIRS // (PER_SIDE * columns.numel() * batch * heads))
    blocks = -(-queries // query_block)
    rows = places(torch.arange(0, blocks, -(-blocks // rows_at_once)), query_block, queries)
    passed = 0
    for at in itertools.product(range(batch), range(heads)):
        pairs = pairs_passed(masks, [torch.tensor(place) for place in at], rows.view(-1, 1), columns.view(1, -1))
        passed += int(pairs.view(len(rows), PER_SIDE, len(columns), PER_SIDE).any(3).any(1).sum())
    return passed / (len(rows) * batch * heads)


def places(blocks: Any, size: int, end: int) -> Any:
    """Some of each block's, a row for each block."""
    torch: Any = importlib.import_module("torch")
    inside = torch.tensor([at * (size - 1) // (PER_SIDE - 1) for at in range(PER_SIDE)])
    return (blocks.unsqueeze(1) * size + inside).clamp(max=end - 1)


def pairs_passed(masks: list[Mask], places_before: list[Any], rows: Any, columns: Any) -> Any:
    torch: Any = importlib.import_module("torch")
    passes = torch.ones(rows.numel(), columns.numel(), dtype=torch.bool)
    for mask in masks:
        try:
            passes = passes & mask(*places_before, rows, columns)
        except Exception:  # noqa: BLE001
            continue  # it does not take many pairs at once, and may pass them all
    return passes
