"""Reports which made-up numbers a hollow run copied to its host."""

from __future__ import annotations

from typing import Any

from ..launch.channel import Channel

TITLE = "Made up, because the numbers behind it were not computed; a real run may take other branches"


def rows_of(words: Channel) -> list[dict[str, Any]]:
    """Each row once, with the highest count of any rank."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in (row for _, rows in words.told("made up") for row in rows):
        known = found.setdefault((row["line"], row["what"]), row)
        known["count"] = max(known["count"], row["count"])
    return list(found.values())


def lines_of(rows: list[dict[str, Any]]) -> list[str]:
    """The section of the summary."""
    if not rows:
        return []
    lines = [f"  {row['line']}  {row['what']}" + (f" ({row['count']} times)" if row["count"] > 1 else "") for row in rows]
    return ["", TITLE, *lines]
