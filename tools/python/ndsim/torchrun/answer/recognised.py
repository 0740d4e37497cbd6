"""The recognised framework, layout and model of a run, as a value, as lines and as JSON keys."""

from __future__ import annotations

from typing import Any

from ..launch.channel import Channel
from ..recognised.value import Layout, Recognised, recognised_of

SAID = ("dp", "tp", "pp", "cp", "ep", "zero", "shard", "micro_batch", "global_batch", "sequence", "interleave", "recompute", "precision")
"""Fields of a layout that the summary line shows."""

QUIET = {"tp": 1, "pp": 1, "cp": 1, "ep": 1, "zero": 0, "recompute": "none"}
"""Values that the line omits."""


def recognised_in(words: Channel) -> Recognised | None:
    """The result of the first rank that recognised a framework; None for plain PyTorch."""
    return next((recognised_of(told) for _, told in words.told("recognised")), None)


def layout_in(words: Channel) -> Layout:
    """The known parts of the layout, with or without a framework."""
    known = recognised_in(words)
    if known is not None:
        return known.layout
    nothing = Layout(tp=None, pp=None, cp=None, ep=None, recompute=None)
    return next((Layout(**told) for _, told in words.told("plain layout")), nothing)


def layout_text(layout: Layout) -> str:
    values = [(name, getattr(layout, name)) for name in SAID]
    said = [f"{name.replace('_', '-')} {value:,}" if isinstance(value, int) else f"{name} {value}"
            for name, value in values if value is not None and QUIET.get(name) != value]
    return ", ".join(said)


def rows_of(recognised: Recognised | None) -> list[tuple[str, str]]:
    """Titles and texts of the summary's lines."""
    if recognised is None:
        return [("framework", "none was recognised: plain PyTorch")]
    names = [f"{recognised.framework} {recognised.version or ''}".strip(), *(f"with {name}" for name in recognised.beside)]
    rows = [("framework", f"{' '.join(names)}: {layout_text(recognised.layout)}")]
    if recognised.unknown:
        rows.append(("not told", ", ".join(name.replace("_", " ") for name in recognised.unknown)))
    return rows + [("", note) for note in recognised.notes]


def lines_of(recognised: Recognised | None) -> list[str]:
    """The lines of the summary."""
    return [f"  {title:<16}{text}" for title, text in rows_of(recognised)]


def keys_of(recognised: Recognised | None) -> dict[str, Any]:
    return {"recognised": None if recognised is None else recognised.as_json()}
