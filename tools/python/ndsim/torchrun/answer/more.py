"""Sections derived from a run and what was recognised in it: figures, limits, advice, and the prediction."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..launch.channel import Channel
from ..rank import Setting
from ..recognised.value import Layout, Recognised
from . import advice_text, against, figures, recognised
from .budget import Budget
from .measured import Measured, measured_of
from .steady import SteadyStep


@dataclasses.dataclass(frozen=True)
class Known:
    """The inputs of the sections."""

    recognised: Recognised | None
    layout: Layout
    figures: figures.Figures
    measured: Measured
    against: against.Against | None


def known_of(setting: Setting, budget: Budget, step: SteadyStep | None, words: Channel) -> Known:
    of = recognised.recognised_in(words)
    made = figures.figures_of(setting.options, budget.step_seconds, budget.world, of)
    layout = recognised.layout_in(words)
    measured = measured_of(budget, step, setting.machine, layout)
    beside = against.against_of(setting.options, of, made, measured) if setting.options.against else None
    return Known(of, layout, made, measured, beside)


def head_of(known: Known) -> list[str]:
    """Lines for the head of the summary."""
    return [*figures.lines_of(known.figures), *recognised.lines_of(known.recognised)]


def lines_of(known: Known) -> list[str]:
    """The lines after the summary's tables."""
    return [*advice_text.lines_of(known.measured, known.layout, known.recognised), *against.lines_of(known.against)]


def keys_of(known: Known) -> dict[str, Any]:
    return {
        **recognised.keys_of(known.recognised),
        **figures.keys_of(known.figures),
        **advice_text.keys_of(known.measured, known.layout, known.recognised),
        **against.keys_of(known.against),
    }
