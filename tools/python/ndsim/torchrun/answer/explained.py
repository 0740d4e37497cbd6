"""Builds answers in the form that pages show, that of `ndsim explain --json`: sections of sentences, figures and tables.

Numbers are not copied but referenced by their place in the answer's JSON object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..._ndsim import bytes_text, percent_text, time_text
from .figures import money

TEXTS: dict[str, Callable[[Any], str]] = {
    "seconds": time_text,
    "bytes": bytes_text,
    "share of 1": percent_text,
    "USD": money,
    "count": lambda number: f"{number:,}",
    "per second": lambda number: f"{number:,.0f}",
    "ratio": lambda number: f"{number:.3f}",
    "words": str,
    "command": str,
}
"""Formatters by unit."""

Cell = dict[str, Any]
Section = dict[str, Any]


def at(answer: Any, place: str) -> Any:
    """The value at a JSON pointer."""
    for key in place.split("/")[1:]:
        answer = answer[int(key)] if isinstance(answer, list) else answer[key]
    return answer


def told(value: Any, unit: str = "words", place: str | None = None) -> Cell:
    """A value as a cell; None means unknown."""
    return {"value": value, "text": "" if value is None else TEXTS[unit](value), "same_as": place}


def cell(answer: dict[str, Any], place: str, unit: str) -> Cell:
    return told(at(answer, place), unit, place)


def figures_of(answer: dict[str, Any], rows: Iterable[tuple[str, str, str, str]]) -> dict[str, Cell]:
    """Figures from rows of name, place, unit and explanation; unknown values are left out."""
    known = [(name, place, unit, how) for name, place, unit, how in rows if at(answer, place) is not None]
    return {place: {"name": name, "unit": unit, "how": how, **cell(answer, place, unit)} for name, place, unit, how in known}


def table(title: str, columns: Sequence[tuple[str, str, str]], rows: Sequence[dict[str, Cell]], note: str = "") -> dict[str, Any]:
    """Columns are keys, names and units; a row may have additional cells."""
    heads = {key: {"name": name, "unit": unit, "how": ""} for key, name, unit in columns}
    return {"title": title, "columns": heads, "rows": list(rows), "note": note}


PARTS = (("mark", "", "words"), ("what", "what", "words"))


def parts(title: str, unit: str, of: str, rows: Iterable[tuple[str, str, str, Cell, float]]) -> dict[str, Any]:
    """The table behind a bar: key, letter, name, amount and share of each part."""
    columns = (*PARTS, ("amount", "time" if unit == "seconds" else unit, unit), ("share", of, "share of 1"))
    cells = [
        {"key": told(key), "mark": told(mark), "what": told(what), "amount": amount, "share": told(share, "share of 1")}
        for key, mark, what, amount, share in rows
    ]
    return table(title, columns, cells)


def section(
    title: str,
    *,
    said: Sequence[str] = (),
    figures: dict[str, Cell] | None = None,
    tables: dict[str, Any] | None = None,
    bar: str | None = None,
    drawing: Sequence[str] = (),
) -> Section:
    """`bar` names the table of parts that is also drawn."""
    return {
        "title": title,
        "words": {},
        "said": list(said),
        "figures": figures or {},
        "tables": tables or {},
        "bar": bar,
        "drawing": list(drawing),
        "notes": [],
    }
