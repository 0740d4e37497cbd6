"""The steady step of a run as one small value, which prediction and advice are held against."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Measured:
    """A step of a run, and the memory of its fullest rank."""

    step_seconds: float | None
    parts: dict[str, float]
    """Seconds of a step by part, the average over all ranks; empty: they are not known."""
    allocated: int
    reserved: int
    capacity: int
    ranks: int
    gpus_per_node: int

    def share(self, *parts: str) -> float:
        """Of the step, that these parts take."""
        return sum(self.parts.get(part, 0.0) for part in parts) / self.step_seconds if self.step_seconds else 0.0
