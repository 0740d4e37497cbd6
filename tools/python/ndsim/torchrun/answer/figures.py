"""The yield and cost of a step: its range, tokens per second, dollars."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ..._ndsim import time_text
from ..._questions import hardware
from ..options import Options
from ..recognised.value import Recognised
from .measured_spread import SPREAD


@dataclasses.dataclass(frozen=True)
class Figures:
    """Figures of a run; None if unknown."""

    step_seconds: float | None
    ranks: int
    tokens_per_step: int | None
    usd_per_gpu_hour: float | None
    spread: float | None
    """8 of 10 measured steps are between exp(-spread) and exp(spread) times the simulated one."""

    def of_step(self, factor: float | None) -> float | None:
        return None if self.step_seconds is None or factor is None else self.step_seconds * factor

    @property
    def step_range(self) -> tuple[float | None, float | None]:
        factor = None if self.spread is None else math.exp(self.spread)
        return self.of_step(None if factor is None else 1 / factor), self.of_step(factor)

    @property
    def tokens_per_second(self) -> float | None:
        return self.tokens_per_step / self.step_seconds if self.tokens_per_step and self.step_seconds else None

    @property
    def tokens_per_second_per_gpu(self) -> float | None:
        rate = self.tokens_per_second
        return None if rate is None else rate / self.ranks

    @property
    def usd_per_step(self) -> float | None:
        return self.of_step(None if self.usd_per_gpu_hour is None else self.usd_per_gpu_hour * self.ranks / 3600)

    def usd_per_tokens(self, tokens: float) -> float | None:
        cost = self.usd_per_step
        return cost / self.tokens_per_step * tokens if cost is not None and self.tokens_per_step else None


def figures_of(options: Options, step_seconds: float | None, ranks: int, recognised: Recognised | None) -> Figures:
    facts = hardware(options.machine)
    # No measured script had experts.
    has_experts = recognised is not None and recognised.model is not None and recognised.model.has_experts
    return Figures(
        step_seconds=step_seconds,
        ranks=ranks,
        tokens_per_step=None if recognised is None else recognised.tokens_per_step,
        # 0 means that the machine has no published price.
        usd_per_gpu_hour=facts["usd_per_gpu_hour"] or None,
        spread=None if has_experts else SPREAD.get(facts["accelerator"]["generation"]),
    )


RANGE = "where 8 of 10 measured steps lie"


def price_text(usd_per_gpu_hour: float) -> str:
    return f"at {money(usd_per_gpu_hour)} per GPU-hour"


def money(usd: float) -> str:
    """Dollars and cents; three significant digits below a dollar."""
    digits = 2 if usd >= 1 or usd <= 0 else 2 - math.floor(math.log10(usd))
    return f"${usd:,.{digits}f}"


def lines_of(figures: Figures) -> list[str]:
    """The lines of the summary; unknown figures have none."""
    lines = []
    low, high = figures.step_range
    if low is not None and high is not None:
        lines.append(f"  range           {time_text(low)} to {time_text(high)}, {RANGE}")
    if figures.tokens_per_second is not None:
        rate, each = figures.tokens_per_second, figures.tokens_per_second_per_gpu
        lines.append(f"  tokens          {figures.tokens_per_step:,} a step, {rate:,.0f} a second, {each:,.0f} on each GPU")
    if figures.usd_per_step is not None and figures.usd_per_gpu_hour is not None:
        million = figures.usd_per_tokens(1e6)
        tokens = "" if million is None else f", {money(million)} a million tokens, {money(1000 * million)} a billion"
        lines.append(f"  cost            {money(figures.usd_per_step)} a step{tokens}, {price_text(figures.usd_per_gpu_hour)}")
    return lines


def keys_of(figures: Figures) -> dict[str, Any]:
    low, high = figures.step_range
    return {
        "step_seconds_low": low,
        "step_seconds_high": high,
        "tokens_per_step": figures.tokens_per_step,
        "tokens_per_second": figures.tokens_per_second,
        "tokens_per_second_per_gpu": figures.tokens_per_second_per_gpu,
        "cost": {
            "usd_per_gpu_hour": figures.usd_per_gpu_hour,
            "usd_per_step": figures.usd_per_step,
            "usd_per_million_tokens": figures.usd_per_tokens(1e6),
            "usd_per_billion_tokens": figures.usd_per_tokens(1e9),
        },
    }
