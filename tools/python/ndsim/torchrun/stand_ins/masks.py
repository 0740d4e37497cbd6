"""How many keys a query meets under a mask that is a function, as flex_attention has it.

What a mask takes from tensors, such as the ends of documents, counts as if it let everything pass: a time depends on shapes, not
on numbers, which a hollow run has not.
"""

from __future__ import annotations

import functools
import importlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

Mask = Callable[[Any, Any, Any, Any], Any]

_met: weakref.WeakKeyDictionary[Mask, dict[tuple[int, int], int]] = weakref.WeakKeyDictionary()
ROWS = 16
COLUMNS = 4096


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


def keys_met(mask: Mask, queries: int, keys: int) -> int:
    """By a query, on average."""
    try:
        known = _met.setdefault(mask, {})
    except TypeError:
        known = {}
    if (queries, keys) not in known:
        of_shape = [part for part in parts_of(mask) if not any(True for _ in captured(part))]
        known[queries, keys] = counted(of_shape, queries, keys) if of_shape else keys
    return known[queries, keys]


def counted(masks: list[Mask], queries: int, keys: int) -> int:
    """Counted for some queries in equal distances, which is right where what they meet grows evenly."""
    torch: Any = importlib.import_module("torch")
    rows = torch.tensor(sorted({(2 * row + 1) * queries // (2 * ROWS) for row in range(ROWS)})).unsqueeze(1)
    zero = torch.tensor(0)
    passed = 0
    for begin in range(0, keys, COLUMNS // ROWS):
        columns = torch.arange(begin, min(keys, begin + COLUMNS // ROWS)).unsqueeze(0)
        passes = torch.ones(len(rows), columns.shape[1], dtype=torch.bool)
        for mask in masks:
            try:
                passes = passes & mask(zero, zero, rows, columns)
            except Exception:  # noqa: BLE001
                continue  # it does not take many pairs at once, and may pass them all
        passed += int(passes.sum())
    return max(1, round(passed / len(rows)))
