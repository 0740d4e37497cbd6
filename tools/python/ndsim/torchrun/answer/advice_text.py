"""What limits a step and what to try, as lines of the summary and as keys."""

from __future__ import annotations

from typing import Any

from ..._ndsim import percent_text
from ..advice.limits import Advice, Reason, advice_of
from ..advice.measured import Measured
from ..recognised.value import Layout, Recognised

OF_MEMORY = (Reason.FULL, Reason.FREE)


def reason_text(reason: Reason, share: float) -> str:
    return f"{reason.value} ({percent_text(share)} of {'it' if reason in OF_MEMORY else 'the step'})"


def lines_of(measured: Measured, layout: Layout, recognised: Recognised | None) -> list[str]:
    reasons, advice = advice_of(measured, layout, recognised)
    lines = [""]
    if measured.step_seconds is None:
        lines.append("What limits: not known without two steps of an optimizer")
    elif not measured.parts:
        lines.append("What limits the step: not told, since most of the run is not its steps; more of them would tell it")
    said = "; ".join(reason_text(*each) for each in reasons)
    if said:
        lines.append(f"What limits: {said}")
    elif measured.parts:
        lines.append("What limits: the GPUs' own work")
    if advice:
        lines.append(f"To try, as {recognised.framework if recognised else 'PyTorch'} has it")
        lines += [f"  {each.change.value:<46}{each.option}" for each in advice]
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
