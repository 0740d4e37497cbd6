"""A program is run on simulated GPUs, PyTorch with it: what the command and ndsim.torch.launch have in common."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from .. import _errors as errors
from . import from_torch, rank, simulated
from .answer.answers import Answers
from .launch import alone, spawn, start
from .options import Options
from .refusals import Refused

ENDS = (start.Ended, Refused, errors.Error, KeyboardInterrupt)
"""What run() raises where the run, and not the program around it, is what ended."""


def setting_of(options: Options, *, of_notebook: bool = False) -> rank.Setting:
    return rank.Setting(options, start.machine_of(options), of_notebook)


def import_torch(setting: rank.Setting) -> None:
    """Import PyTorch on simulated GPUs, with all that ranks have in common. Requires: this process has not imported it."""
    simulated.open_door(setting.options.machine, hollow=setting.options.hollow)
    from_torch.import_torch()
    from_torch.seed(0)
    rank.prepare(setting)


def run(answers: Answers, program: Callable[[], Any]) -> None:
    """Run the program as the ranks that are asked for; where none are, as the only one, unless it starts ranks by itself.

    Requires: this process has not imported torch, and ends with the run.
    """
    setting = answers.setting
    count = start.world_of(setting.options, setting.machine)
    import_torch(setting)
    starter = start.Starter(setting, answers.add)
    spawn.use(starter)
    try:
        if count is not None:
            starter.start(count, lambda _: program(), as_torchrun=True)
        else:
            alone.run_script(starter, lambda: (program(), spawn.run_waiting()))
    finally:
        answers.close()


def error_of(end: BaseException) -> errors.Error:
    """One of ENDS as an exception of ndsim, with all that is to be said."""
    if isinstance(end, errors.Error):
        return end
    if isinstance(end, Refused):
        return errors.UsageError(str(end))
    if isinstance(end, start.Ended):
        end.error.args = (str(end),)
        return end.error
    stopped = errors.Interrupted("the run was stopped")
    stopped.signal = signal.SIGINT
    return stopped
