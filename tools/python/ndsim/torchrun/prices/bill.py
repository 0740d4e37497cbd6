"""The bill lists what operators cost in a run: --explain-cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._ndsim import percent_text, time_text
from .works import Work

_PICOSECONDS = 1_000_000_000_000


class Entry:
    """What one signature costs, and how often it was bought."""

    __slots__ = ("count", "is_guessed", "kernels", "label", "work")

    def __init__(self, label: str, work: Work, is_guessed: bool) -> None:
        self.label = label
        self.work = work
        self.is_guessed = is_guessed
        self.kernels = ((label, work.picoseconds),) if work.picoseconds else ()
        self.count = 0

    def bought(self) -> tuple[tuple[str, int], ...]:
        self.count += 1
        return self.kernels


class Bill:
    """All entries of a run."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._by_work: dict[tuple[str, Work], Entry] = {}
        self.views = 0
        """How many operators were dispatched without a kernel."""

    def entry(self, label: str, work: Work, is_guessed: bool) -> Entry:
        known = self._by_work.get((label, work))
        if known is None:
            known = self._by_work[label, work] = Entry(label, work, is_guessed)
            self._entries.append(known)
        return known

    def rows(self) -> list[dict[str, Any]]:
        """For JSON: a row for each operator and way of pricing, the dearest first. `seconds` is the GPU's time."""
        groups: dict[tuple[str, str, bool], list[Entry]] = {}
        for entry in self._entries:
            if entry.count and entry.kernels:
                groups.setdefault((entry.label, entry.work.how, entry.is_guessed), []).append(entry)
        rows = [_row(*key, entries) for key, entries in groups.items()]
        total = sum(row["seconds"] for row in rows)
        for row in rows:
            row["share"] = row["seconds"] / total
        rows.sort(key=lambda row: (-row["seconds"], row["operator"]))
        if self.views:
            rows.append(
                {
                    "operator": "views and metadata",
                    "count": self.views,
                    "seconds": 0.0,
                    "how": "no kernel",
                    "of_peak": None,
                    "guessed": False,
                    "share": 0.0,
                }
            )
        return rows

    def text(self, most: int | None = None) -> str:
        """For people. `most`: so many rows; the others in one."""
        return table_text(self.rows(), most)


def _row(label: str, how: str, is_guessed: bool, entries: Sequence[Entry]) -> dict[str, Any]:
    picoseconds = sum(entry.count * entry.work.picoseconds for entry in entries)
    most = sum(entry.count * entry.work.done / entry.work.at_most for entry in entries)
    seconds = picoseconds / _PICOSECONDS
    return {
        "operator": label,
        "count": sum(entry.count for entry in entries),
        "seconds": seconds,
        "how": how,
        "of_peak": most / seconds,
        "guessed": is_guessed,
    }


def _how_text(row: dict[str, Any]) -> str:
    if row["of_peak"] is None:
        return str(row["how"])
    what = "bandwidth" if row["how"].startswith("memory traffic") else "peak"
    return f"{row['how']}, {100 * row['of_peak']:.0f} % of {what}" + (" (guessed)" if row["guessed"] else "")


def table_text(rows: Sequence[dict[str, Any]], most: int | None = None) -> str:
    """Of the rows of a bill, or of several ranks' together."""
    shown = list(rows) if most is None else list(rows[:most])
    lines = [("operator", "count", "GPU time", "share", "priced as")]
    lines += [
        (row["operator"], str(row["count"]), time_text(row["seconds"]), percent_text(row["share"]), _how_text(row))
        for row in shown
    ]
    others = list(rows)[len(shown) :]
    if others:
        time = time_text(sum(row["seconds"] for row in others))
        share = percent_text(sum(row["share"] for row in others))
        lines.append((f"{len(others)} others", str(sum(row["count"] for row in others)), time, share, ""))
    widths = [max(len(line[at]) for line in lines) for at in range(4)]
    text = [
        f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}  {e}".rstrip() for a, b, c, d, e in lines
    ]
    guessed = sorted({row["operator"] for row in rows if row["guessed"]})
    if guessed:
        text.append("guessed, because no rule knows them: " + ", ".join(guessed))
    return "\n".join(text) + "\n"
