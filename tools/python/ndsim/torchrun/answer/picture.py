"""Draws an answer as bars: the parts of its step, and the memory of the fullest rank."""

from __future__ import annotations

from typing import Any

from ..._ndsim import bytes_text, share_bars, time_text
from . import budget, memory, steady

Answer = dict[str, Any]
Bar = tuple[str, float, list[tuple[str, float, str]]]


def svg_of(title: str, answer: Answer) -> str:
    """Empty if nothing took time and no memory is held."""
    bars = [*time_bars(answer), *memory_bars(answer)]
    return share_bars(title, bars) if bars else ""


def time_bars(answer: Answer) -> list[Bar]:
    """The bar of the step; of the run, if it has fewer than two steps."""
    if answer["step_breakdown"] is not None:
        rows, title = steady.rows_of(answer["step_breakdown"]), steady.TITLE
    else:
        whole = answer["simulated_seconds"]
        rows, title = budget.rows_of(answer["breakdown"], whole) if whole else [], budget.TITLE
    parts = [(name, seconds, time_text(seconds)) for _, _, name, seconds, _ in rows]
    return [(f"{title}, {budget.OVER}", sum(part[1] for part in parts), parts)] if parts else []


def memory_bars(answer: Answer) -> list[Bar]:
    held = answer["memory"]
    if held["activations"] is None:
        return []
    parts = [(name, float(size), bytes_text(size)) for _, _, name, size, _ in memory.rows_of(held)]
    return [(memory.title_of(held), float(held["capacity"]), parts)]
