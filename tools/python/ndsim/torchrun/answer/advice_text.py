"""The limits of a step and changes to try, as lines of the summary and as JSON keys."""

from __future__ import annotations

from typing import Any

from ..._ndsim import percent_text
from ..advice.limits import Advice, Reason, advice_of
from ..advice.measured import Measured
from ..advice.options import Change
from ..recognised.value import Layout, Recognised

OF_MEMORY = (Reason.FULL, Reason.FREE)


def reason_of(row: dict[str, Any]) -> Reason:
    """The reason of a row of the JSON."""
    return Reason[row["reason"].upper()]


def reason_text(row: dict[str, Any]) -> str:
    reason, share = reason_of(row), percent_text(row["share"])
    return f"{reason.value} ({share} of it is held)" if reason in OF_MEMORY else f"{reason.value} ({share} of the step)"


def change_text(row: dict[str, Any]) -> str:
    return Change[row["change"].upper()].value


def limits_text(limits: list[dict[str, Any]], step_seconds: float | None) -> str:
    """One line; `limits` has the form of the JSON."""
    if step_seconds is None:
        return "What limits: not known without two steps of an optimizer"
    if not step_seconds:
        return "What limits: nothing, since the GPU does nothing in a step"
    # Free memory limits nothing: it is room for a change.
    own = [] if any(reason_of(row) is not Reason.FREE for row in limits) else ["the GPUs' own work"]
    return f"What limits: {'; '.join([*own, *map(reason_text, limits)])}"


def title_of(recognised: Recognised | None) -> str:
    return f"To try, as {recognised.framework if recognised else 'PyTorch'} has it"


def lines_of(measured: Measured, layout: Layout, recognised: Recognised | None) -> list[str]:
    keys = keys_of(measured, layout, recognised)
    lines = ["", limits_text(keys["limits"], measured.step_seconds)]
    if keys["advice"]:
        lines.append(title_of(recognised))
        lines += [f"  {change_text(row):<46}{row['option']}" for row in keys["advice"]]
    return lines


def row_of(advice: Advice) -> dict[str, Any]:
    reason, change = advice.reason.name.lower(), advice.change.name.lower()
    return {"reason": reason, "share": advice.share, "change": change, "option": advice.option}


def keys_of(measured: Measured, layout: Layout, recognised: Recognised | None) -> dict[str, Any]:
    reasons, advice = advice_of(measured, layout, recognised)
    return {
        "limits": [{"reason": reason.name.lower(), "share": share} for reason, share in reasons],
        "advice": [row_of(each) for each in advice],
    }
