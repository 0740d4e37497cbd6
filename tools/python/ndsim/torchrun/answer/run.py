"""A run of ndsim.torch: what it gives to the program that asked for it."""

from __future__ import annotations

import html
from typing import Any


class Run:
    """A run as Python holds it: what ranks returned, and where the time went."""

    def __init__(self, returned: list[Any], report: dict[str, Any], text: str) -> None:
        self.returned = returned
        """By rank, of those that ran; empty: nobody called them."""
        self.report = report
        """What `python3 -m ndsim.torchrun --json` prints of a run: times in seconds, memory in bytes."""
        self._text = text

    @property
    def seconds(self) -> float:
        """Simulated, until the last rank's GPU and host have ended."""
        return float(self.report["simulated_seconds"])

    @property
    def step_seconds(self) -> float | None:
        """Simulated, of a step of the optimizer; None: there are no two."""
        return self.report["step_seconds"]  # type: ignore[no-any-return]

    @property
    def timeline_sha256(self) -> str:
        """Equal for equal timelines."""
        return str(self.report["timeline_sha256"])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        ranks = self.report["ranks"]
        return f"<ndsim.torch.Run: {ranks} rank{'' if ranks == 1 else 's'}, {self.seconds:.6g} s simulated>"

    def svg(self) -> str:
        """What its step goes to, and what memory holds, as bars; empty where nothing took time."""
        from . import picture  # which imports what makes runs, and that imports this

        title = self._text.partition("\n")[0]
        return picture.svg_of(title, self.report)

    def _repr_html_(self) -> str:
        return f"{self.svg()}<pre>{html.escape(self._text)}</pre>"
