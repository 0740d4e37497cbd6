"""Questions that need no program: the answers of ndsim's commands, as dicts.

The options are those of the command, with underscores for hyphens; lists may be Python lists. The dict is what the command prints
with --json: `ndsim COMMAND --help` explains the options, `ndsim COMMAND --help columns` the keys. Options that only control what
is shown, written or checked (--csv, --svg, --trace, --check …) do not affect the answer and exist only on the command line.
"""

from __future__ import annotations

import html
import json
from typing import Any

from . import _ndsim
from ._errors import UsageError


class Answer(dict[str, Any]):
    """The output of a command with --json, as a dict; a notebook draws it."""

    def __init__(self, forms: _ndsim.AnswerForms) -> None:
        super().__init__(json.loads(forms.json))
        self._forms = forms

    def text(self) -> str:
        """The output of the command as text."""
        return self._forms.text()

    def svg(self) -> str:
        """A picture as an SVG file; empty if there is nothing to draw."""
        return self._forms.picture()

    def save_svg(self, file: str) -> None:
        """Write the picture to a file."""
        picture = self.svg()
        if not picture:
            raise UsageError("this answer has no picture")
        with open(file, "w", encoding="utf-8") as out:
            out.write(picture)

    def _repr_svg_(self) -> str | None:
        return self.svg() or None

    def _repr_html_(self) -> str:
        return self.svg() or f"<pre>{html.escape(self.text())}</pre>"


def _answer(command: str, options: dict[str, Any]) -> Answer:
    return Answer(_ndsim.answer(command, options))


def predict(**options: Any) -> Answer:
    """How long a training step takes, what it needs, and why: like `ndsim train`.

    predict(model="llama3-8b", machine="dgx-h100", gpus=64, tp=2)["step_seconds"]
    """
    return _answer("train", options)


def memory(**options: Any) -> Answer:
    """The memory of a GPU over a training step, and whether it fits: like `ndsim memory`."""
    return _answer("memory", options)


def plan(**options: Any) -> Answer:
    """The fastest or cheapest layout that fits, with its launch flags: like `ndsim plan`.

    Any axis can be a number or a list: plan(model="llama3-8b", gpus=64, tp=[1, 2, 4]).
    """
    return _answer("plan", options)


def sweep(**options: Any) -> Answer:
    """A prediction for every combination of options, each a value or a list: like `ndsim sweep`.

    sweep(model="llama3-8b", gpus=[8, 16, 32], tp=[1, 2])["rows"]; a notebook plots time, or with plot_y="cost" cost, over memory or
    GPUs, and joins the combinations that no other one beats.
    """
    return _answer("sweep", options)


def goodput(**options: Any) -> Answer:
    """The effective share of weeks of training, with failures, checkpoints and restarts: like `ndsim goodput`.

    goodput(study="llama3-405b")["ettr"], goodput(gpus=1024, step_seconds=5, repair_hours=24, spares=2)["policies"]
    """
    return _answer("goodput", options)


def collective_time(kind: str, **options: Any) -> Answer:
    """The time of collectives, by size and algorithm: like `ndsim collective`.

    collective_time("all_reduce", ranks=64, topology="dgx-h100", sizes="1M")["rows"][0]["seconds"]
    collective_time("all_reduce", ranks=64, machine="dgx-h100", sizes="1M")["rows"][0]["busbw"]  # by NCCL's model
    """
    return _answer("collective", {"KIND": kind, **options})


def hardware(name: str | None = None) -> Answer:
    """Machines and accelerators: a list of them, or every number of one with its source: like `ndsim hardware`."""
    return _answer("hardware", {"NAME": name})
