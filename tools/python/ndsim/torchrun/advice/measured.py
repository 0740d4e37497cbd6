"""The steady step of a run as one small value, to compare with the prediction and to base advice on."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Measured:
    """A step of a run, and the memory of its fullest rank."""

    step_seconds: float | None
    parts: dict[str, float]
    """Seconds of a step by part, averaged over all ranks; empty if unknown."""
    allocated: int
    reserved: int
    capacity: int
    ranks: int
    gpus_per_node: int

    def share(self, *parts: str) -> float:
        """The share of the step that these parts take."""
        return sum(self.parts.get(part, 0.0) for part in parts) / self.step_seconds if self.step_seconds else 0.0
