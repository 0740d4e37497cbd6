"""ndsim.torch.here: makes this process the only rank, with simulated GPUs for the cells of a notebook."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from .._errors import UsageError, fault_of
from . import rank as ranks
from . import running
from .answer.answers import Answers
from .answer.run import Run
from .launch import alone
from .launch.channel import Channel
from .options import keyword_options


class Here:
    """This process as a rank, until it ends."""

    def __init__(self, setting: ranks.Setting) -> None:
        self._setting = setting
        contexts = contextlib.ExitStack()
        run = contexts.enter_context(alone.run_of_one(setting))
        assert run.alone is not None
        self._world = run.alone
        self._rank = contexts.enter_context(ranks.begin(run.alone.gpu, run))
        self._contexts = contexts

    def report(self) -> Run:
        """The run so far, and where its time went; the host waits for its GPUs."""
        out = io.StringIO()
        answers = Answers(self._setting, out)
        rank = self._rank
        with contextlib.closing(Channel()) as words:
            before, rank.words = rank.words, words
            try:
                ranks.tell_all(rank)
            finally:
                rank.words = before
            result = self._world.so_far()
            if result.fault is not None:
                raise fault_of(result)
            answers.add(result, words, "")
        return Run([], answers.runs[-1], out.getvalue().strip("\n"))

    def __repr__(self) -> str:
        machine = self._setting.machine
        return f"<ndsim.torch.here: {machine.gpus_per_node} x {machine.accelerator} ({machine.name})>"


# The one of this process, if any.
_here: list[Here] = []


def begin(options: dict[str, Any]) -> Here:
    if ranks.this_rank() is not None:
        raise UsageError("this process is a rank already")
    asked = keyword_options("here", options)
    if asked.nproc is not None or asked.fold is not None:
        raise UsageError("this process is the only rank; ndsim.torch.launch(fn, ranks=4) starts several")
    setting = running.setting_of(asked, of_notebook=True)
    running.import_torch(setting)
    _here[:] = [Here(setting)]
    return _here[0]
