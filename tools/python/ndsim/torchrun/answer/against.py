"""`--against train`: the prediction of `ndsim train` for the recognised layout and model, next to the run."""

from __future__ import annotations

import dataclasses
import os
import shlex
import tempfile
from typing import Any

from ..._errors import Error
from ..._ndsim import bytes_text, time_text
from ..._questions import predict
from ..options import Options
from ..recognised.value import Layout, Model, Recognised
from .figures import Figures
from .measured import GROUPS, Measured

FLASH_VERSION = 2
"""PyTorch's own kernel."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A quantity that both the run and the prediction have."""

    what: str
    unit: str
    run: float
    train: float

    @property
    def ratio(self) -> float | None:
        return self.run / self.train if self.train else None


@dataclasses.dataclass(frozen=True)
class Against:
    """A run next to its prediction."""

    command: str | None
    """The equivalent shell command; None if there is no question to ask."""
    why_not: str | None
    """Why there is no prediction; None if there is one."""
    rows: tuple[Row, ...] = ()

    def as_json(self) -> dict[str, Any]:
        rows = [{**dataclasses.asdict(row), "ratio": row.ratio} for row in self.rows]
        return {"predictor": "train", "command": self.command, "why_not": self.why_not, "rows": rows}


DEFAULTS = {"tp": 1, "pp": 1, "cp": 1, "ep": 1, "recompute": "none", "cuda_graphs": "none", "optimizer": "adam"}
"""Defaults of `ndsim train`, which keep the command short."""


def said(value: Any) -> Any:
    """A value in the form an option takes."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def layout_options(layout: Layout) -> dict[str, Any]:
    """The known parts of a layout as options of `ndsim train`; the names are the same."""
    options = {name: said(value) for name, value in dataclasses.asdict(layout).items() if value not in (None, DEFAULTS.get(name))}
    if layout.dp == layout.cp == 1:
        options["zero"] = 0
    if not layout.zero:
        options.pop("overlap_parameters", None)
    return options


def options_of(asked: Options, ranks: int, recognised: Recognised) -> dict[str, Any]:
    """The options of the prediction, without the model."""
    options = {"machine": asked.machine, "gpus": ranks, **layout_options(recognised.layout)}
    if asked.compiled and recognised.layout.framework != "megatron":
        options["fusion"] = "compiled"
    if asked.flash_attention is not None:
        options["flash_version"] = asked.flash_attention
    elif recognised.layout.framework != "megatron" and options.get("flash_attention") != "off":
        options["flash_version"] = FLASH_VERSION
    return options


def file_of(model: Model) -> str:
    """A file name for the model: config.json alone would not be unique, so it gets its folder's name."""
    return "recognised" + os.path.splitext(model.file)[1]


def command_of(model: Model, options: dict[str, Any]) -> str:
    """The command line; it writes the model's file first."""
    file = file_of(model)
    words = ["ndsim", "train", "--model", file]
    for name, value in options.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    return f"printf %s {shlex.quote(model.text)} > {file} && {shlex.join(words)}"


def predicted(model: Model, options: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, file_of(model))
        with open(file, "w", encoding="utf-8") as out:
            out.write(model.text)
        return predict(model=file, **options)


def allocated_of(prediction: dict[str, Any]) -> int:
    """The predicted value of torch.cuda.max_memory_allocated(), which excludes CUDA's context, NCCL's memory, and fragmentation."""
    memory = prediction["memory"]
    stage = next(each for each in memory["stages"] if each["stage"] == memory["fullest_stage"])
    return int(stage["total"] - stage["reserve"])


def rows_of(figures: Figures, measured: Measured, prediction: dict[str, Any]) -> tuple[Row, ...]:
    train, breakdown = float(prediction["step_seconds"]), prediction["breakdown"]
    found: list[tuple[str, str, float | None, float]] = [("step", "s", figures.step_seconds, train)]
    if figures.tokens_per_second is not None:
        found.append(("tokens per second", "1/s", figures.tokens_per_second, prediction["tokens_per_second"]))
        each = figures.tokens_per_second_per_gpu
        found.append(("tokens per second per GPU", "1/s", each, prediction["tokens_per_second_per_gpu"]))
    found.append(("memory allocated", "B", float(measured.allocated), float(allocated_of(prediction))))
    for part, seconds in measured.parts.items():
        categories = GROUPS.get(part, (part,))
        if all(category in breakdown for category in categories):
            found.append((part, "s", seconds, sum(breakdown[category] for category in categories)))
    return tuple(Row(what, unit, run, of_train) for what, unit, run, of_train in found if run is not None and (run or of_train))


def against_of(asked: Options, recognised: Recognised | None, figures: Figures, measured: Measured) -> Against:
    """The comparison, or one line about what is missing for it."""
    if recognised is None:
        return Against(None, "no framework was recognised, so neither layout nor model is known")
    missing = [name.replace("_", " ") for name in recognised.unknown if name != "tokens_per_step"]
    if recognised.model is None or missing:
        return Against(None, f"{recognised.framework} did not tell: {', '.join(missing)}")
    options = options_of(asked, figures.ranks, recognised)
    command = command_of(recognised.model, options)
    try:
        prediction = predicted(recognised.model, options)
    except Error as refusal:
        return Against(command, f"ndsim train refuses it: {refusal}")
    return Against(command, None, rows_of(figures, measured, prediction))


TITLE, IN_A_TERMINAL = "Beside ndsim train of the recognised layout", "In a terminal"


def cell(unit: str, value: float) -> str:
    if unit == "B":
        return bytes_text(value)
    return time_text(value) if unit == "s" else f"{value:,.0f}"


def why_not_text(why_not: str) -> str:
    return f"Beside ndsim train: nothing, since {why_not}"


def lines_of(against: Against | None) -> list[str]:
    """The section of the summary; empty for None, that is, if not asked for."""
    if against is None:
        return []
    if against.why_not is not None:
        return ["", why_not_text(against.why_not)]
    lines = ["", TITLE, f"  {'':<26}{'this run':>12}{'train':>12}{'run / train':>13}"]
    for row in against.rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
        lines.append(f"  {row.what:<26}{cell(row.unit, row.run):>12}{cell(row.unit, row.train):>12}{ratio:>13}".rstrip())
    return [*lines, f"  {IN_A_TERMINAL}: {against.command}"]


def keys_of(against: Against | None) -> dict[str, Any]:
    """The JSON keys; none for None, that is, if not asked for."""
    return {} if against is None else {"against": against.as_json()}
