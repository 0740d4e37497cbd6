"""The report after a run: its time budget as text or as JSON, the trace, the page, the timeline."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import Any, TextIO

from ..._errors import OutputError
from ..._ndsim import Result, bytes_text, percent_text, time_text
from .. import rank as ranks
from ..launch.channel import Channel
from ..options import Options
from . import budget as of_run
from . import made_up, memory, more, steady, verdict
from .bars import bar
from .budget import Budget, RankBudget, budget_of

MOST_ROWS = 16


def file_of_run(file: str, run: int) -> str:
    """The first run's file is the one asked for; later runs add their number before the extension."""
    folder, name = os.path.split(file)
    stem, dot, suffix = name.partition(".")
    return file if run == 1 else os.path.join(folder, f"{stem}-{run}{dot}{suffix}")


def check_output(file: str) -> None:
    """Complain before the run about a file that could not be written afterwards."""
    folder = os.path.dirname(file.rstrip("/")) or "."
    if file and not os.access(folder, os.W_OK):
        why = "no files can be made in" if os.path.isdir(folder) else "there is no folder"
        raise OutputError(f"{file} cannot be written: {why} {folder}")


def rank_table(budget: Budget) -> list[str]:
    heads = ("rank", "pid", "computing", "communication", "idle", "allocated", "reserved", "step")
    rows = [heads]
    for each in budget.ranks[:MOST_ROWS]:
        times = [time_text(value) for value in (each.computing, each.communicating, each.idle)]
        sizes = [bytes_text(value) for value in (each.allocated, each.reserved)]
        step = "" if each.step_seconds is None else time_text(each.step_seconds)
        rows.append((str(each.rank), str(each.pid), *times, *sizes, step))  # type: ignore[arg-type]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = [of_run.OF_RANKS, *("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)]
    if len(budget.ranks) > MOST_ROWS:
        lines.append(f"  and {len(budget.ranks) - MOST_ROWS} ranks more; --json has all of them")
    return lines


def step_text(budget: Budget) -> str:
    if budget.step_seconds is None:
        return f"not known: it is taken from step to step of an optimizer, and there was {'only one' if budget.steps else 'none'}"
    return f"{time_text(budget.step_seconds)}, {of_run.steps_text(budget.steps)}"


def stand_ins_of(words: Channel) -> list[str]:
    """The packages that ndsim replaced, on any rank."""
    return sorted({name for _, names in words.told("stand-ins") for name in names})


@dataclasses.dataclass(frozen=True)
class Told:
    """Everything known about a run after it ended: the only source of the text and the JSON object."""

    setting: ranks.Setting
    result: Result
    words: Channel
    budget: Budget
    steps: dict[int, steady.SteadyStep]
    """By rank."""
    step: steady.SteadyStep | None
    memories: dict[int, memory.Memory]
    """By rank."""
    memory: memory.Memory
    """Memory of the fullest rank."""
    known: more.Known


def told_of(setting: ranks.Setting, result: Result, words: Channel) -> Told:
    budget = budget_of(result, words)
    steps = steady.steady_steps_of(result, words)
    step = steady.steady_step_of(steps, budget)
    memories = memory.memories_of(budget, words, setting.machine.memory_bytes)
    return Told(setting, result, words, budget, steps, step, memories, memory.fullest(memories), more.known_of(setting, budget, step, words))


def title_of(told: Told) -> str:
    setting, budget = told.setting, told.budget
    machine = setting.machine
    ran = "" if len(budget.ranks) == budget.world else f", of which {len(budget.ranks)} ran for all"
    return f"{setting.options.title} on {budget.world:,} x {machine.accelerator} ({machine.name}){ran}"


def head_of(told: Told) -> list[str]:
    """The lines about what was run."""
    result, budget, machine = told.result, told.budget, told.setting.machine
    held = f"{bytes_text(budget.allocated)} allocated, {bytes_text(budget.reserved)} reserved"
    return [
        title_of(told),
        "",
        f"  step            {step_text(budget)}",
        *more.head_of(told.known),
        *steady.utilisation_text(told.step),
        f"  memory          {held} of {bytes_text(machine.memory_bytes)}, {memory.FULLEST}",
        f"  simulated time  {time_text(result.seconds)}",
        f"  timeline        {result.timeline_sha256[:16]}",
        f"  wall time       {result.wall_seconds:.3f} s",
        *(f"  stand-ins       {', '.join(names)}" for names in [stand_ins_of(told.words)] if names),
        "",
    ]


def text_of(told: Told) -> str:
    """The summary of a run."""
    if not told.result.seconds:
        return "\n".join(head_of(told))
    time = of_run.lines_of(told.budget, told.result.seconds) if told.step is None else steady.lines_of(told.step)
    lines = [*head_of(told), *time, *memory.lines_of(told.memory), *rank_table(told.budget), *more.lines_of(told.known)]
    return "\n".join([*lines, *made_up.lines_of(made_up.rows_of(told.words)), ""])


def row_of(told: Told, each: RankBudget) -> dict[str, Any]:
    step = told.steps.get(each.rank)
    return {
        "rank": each.rank,
        "pid": each.pid,
        "stands_for": each.stands_for,
        "compute_seconds": each.computing,
        "communication_seconds": each.communicating,
        "idle_seconds": each.idle,
        "allocated_bytes": each.allocated,
        "reserved_bytes": each.reserved,
        "steps": each.steps,
        "step_seconds": each.step_seconds,
        "step_breakdown": None if step is None else step.parts,
        "step_communication": None if step is None else steady.communication_of(step),
        "memory": memory.kinds_of(told.memories[each.rank]),
    }


def json_of(told: Told, explanation: str) -> dict[str, Any]:
    """The summary as JSON."""
    setting, result, budget, words = told.setting, told.result, told.budget, told.words
    fault = result.fault
    answer: dict[str, Any] = {
        "command": "torchrun",
        "script": setting.options.script,
        "machine": setting.machine.name,
        "ranks": budget.world,
        "ranks_run": len(budget.ranks),
        "hollow": setting.options.hollow,
        "stand_ins": stand_ins_of(words),
        "made_up": made_up.rows_of(words),
        "simulated_seconds": result.seconds,
        "wall_seconds": result.wall_seconds,
        "steps": budget.steps,
        "step_seconds": budget.step_seconds,
        "breakdown": of_run.parts_of(budget),
        **steady.keys_of(told.step, budget.world),
        "memory": memory.keys_of(told.memory),
        "per_rank": [row_of(told, each) for each in budget.ranks],
        "timeline_sha256": result.timeline_sha256,
        "messages": result.messages,
        "ops": result.ops,
        "fault": None if fault is None else {"kind": fault.kind, "rank": fault.rank, "message": explanation},
        **more.keys_of(told.known),
    }
    if setting.options.explain_cost:
        answer["operators"] = operators_of(words)
    return answer


def json_text(value: Any) -> str:
    """Compact, as in traces; invalid UTF-8, such as in a file name, is replaced."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


def describe(told: Told, answer: dict[str, Any]) -> None:
    """Give traces and pages the answer and the steady steps."""
    rows = [{key: value for key, value in row.items() if key != "pid"} for row in answer["per_rank"]]
    # The same run must write the same trace on any computer.
    of_run = {key: value for key, value in answer.items() if key != "wall_seconds"}
    page = None if told.result.fault else verdict.verdict_of(answer, title_of(told))
    told.result.describe(
        answer=json_text({**of_run, "per_rank": rows}),
        verdict="" if page is None else json_text(page),
        steps=steady.spans_of(told.words, [each.rank for each in told.budget.ranks]),
    )


def operators_of(words: Channel) -> list[dict[str, Any]]:
    """The rows of --explain-cost, from rank 0."""
    return [row for _, rows in words.told("operators") for row in rows]


def operators_for_people(words: Channel) -> str:
    return "".join(str(text) for _, text in words.told("operators for people"))


def standard_output(options: Options) -> TextIO:
    """The stream that the command answers on."""
    if not options.json:
        return sys.stdout
    # Standard output gets one JSON object and nothing else, so the script's prints go to standard error.
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return out


class Answers:
    """The answers of a script's runs; a script may start several."""

    def __init__(self, setting: ranks.Setting, out: TextIO) -> None:
        self.setting = setting
        self.runs: list[dict[str, Any]] = []
        self.out = out
        for file in (setting.options.trace, setting.options.report):
            check_output(file)

    @property
    def options(self) -> Options:
        return self.setting.options

    def add(self, result: Result, words: Channel, explanation: str) -> None:
        """Answer for a run, however it ended; `explanation` says what ended it early."""
        told = told_of(self.setting, result, words)
        self.runs.append(json_of(told, explanation))
        if self.options.keeps_timeline:
            describe(told, self.runs[-1])
        if self.options.trace:
            result.save_trace(file_of_run(self.options.trace, len(self.runs)))
        if self.options.report:
            result.report(file_of_run(self.options.report, len(self.runs)))
        if self.options.json:
            return
        text = result.text() + "\n" if self.options.timeline else ""
        if result.fault is None:
            text += "\n" + text_of(told)
            if self.options.explain_cost:
                text += "\nOperators of rank 0\n" + operators_for_people(words)
        self.print(text)

    def print(self, text: str) -> None:
        try:
            self.out.write(text)
            self.out.flush()
        except OSError as error:
            # Otherwise Python would try to flush the buffer again at exit, and fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.out.fileno())
            raise OutputError(f"standard output cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Print the JSON object of the last run, which includes the earlier ones."""
        if self.options.json and self.runs:
            *earlier, last = self.runs
            self.print(json.dumps({**last, "earlier_runs": earlier}) + "\n")
