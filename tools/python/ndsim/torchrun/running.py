"""Runs a program, and PyTorch with it, on simulated GPUs: shared by the command and ndsim.torch.launch."""

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
"""Exceptions of run() if the run itself ended, not the program around it."""


def setting_of(options: Options, *, of_notebook: bool = False) -> rank.Setting:
    return rank.Setting(options, start.machine_of(options), of_notebook)


def import_torch(setting: rank.Setting) -> None:
    """Import PyTorch on simulated GPUs, and set up what all ranks share. Requires: this process has not imported it."""
    simulated.open_door(setting.options.machine, hollow=setting.options.hollow)
    from_torch.import_torch()
    from_torch.seed(0)
    rank.prepare(setting)


def run(answers: Answers, program: Callable[[], Any]) -> None:
    """Run the program as the requested ranks; if none are requested, as the only rank, unless it starts ranks itself.

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
    """One of ENDS as an exception of ndsim, with the full explanation."""
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
