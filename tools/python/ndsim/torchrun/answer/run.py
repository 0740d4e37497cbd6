"""A run of ndsim.torch: the result that the calling program gets."""

from __future__ import annotations

import html
from typing import Any


class Run:
    """A run as Python sees it: what ranks returned, and where the time went."""

    def __init__(self, returned: list[Any], report: dict[str, Any], text: str) -> None:
        self.returned = returned
        """Return values by rank, of the ranks that ran; empty if they ran no function."""
        self.report = report
        """The JSON object that `python3 -m ndsim.torchrun --json` prints for a run: times in seconds, memory in bytes."""
        self._text = text

    @property
    def seconds(self) -> float:
        """Simulated seconds until the last rank's GPU and host are done."""
        return float(self.report["simulated_seconds"])

    @property
    def step_seconds(self) -> float | None:
        """Simulated seconds of a step of the optimizer; None for fewer than two steps."""
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
        """The parts of its step and of its memory as bars; empty if nothing took time."""
        from . import picture  # deferred: it imports the code that makes runs, which imports this module

        title = self._text.partition("\n")[0]
        return picture.svg_of(title, self.report)

    def _repr_html_(self) -> str:
        return f"{self.svg()}<pre>{html.escape(self._text)}</pre>"
