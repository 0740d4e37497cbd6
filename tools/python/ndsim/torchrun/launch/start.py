"""Starts the ranks of a PyTorch script: torch is imported once, and each rank is a fork of this process."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ..._errors import DeadlockError, Error, MismatchError, UsageError
from ..._launch import launch, notice
from ..._ndsim import GPU, Result
from ..._questions import hardware
from .. import rank as ranks
from .. import from_torch
from ..options import EVERY_GPU, Options
from ..refusals import Refused
from . import explain
from .channel import Channel
from .fold import Fold, fold_of
from .places import Places, many
from .rendezvous import Meeting


class Ended(Exception):
    """A run that ended early; `error` is the reason."""

    def __init__(self, error: Error, explanation: str) -> None:
        super().__init__(explanation)
        self.error = error


def explained(error: Error, places: Places) -> str:
    """The explanation of why a run ended, with the lines of the script."""
    waited = isinstance(error, DeadlockError)
    lines = places.told(waited) if waited or isinstance(error, MismatchError) else ""
    return f"{error}\n{lines}" if lines else str(error)


def machine_of(options: Options) -> ranks.Machine:
    facts = hardware(options.machine)
    accelerator = facts["accelerator"]
    return ranks.Machine(options.machine, facts["gpus_per_node"], accelerator["name"], int(accelerator["memory_bytes"]))


def world_of(options: Options, machine: ranks.Machine) -> int | None:
    """The number of ranks on the command line; None if the script starts them."""
    if options.nproc is not None or (options.nodes is None and options.per_node is None):
        return options.nproc
    nodes = options.nodes or 1
    each = machine.gpus_per_node if options.per_node == EVERY_GPU else options.per_node or 1
    if nodes > 1 and each != machine.gpus_per_node:
        raise UsageError(
            f"--nproc-per-node {each} with --nnodes {nodes}: a node of {machine.name} has {machine.gpus_per_node} GPUs, "
            "and a run of several nodes uses all of them"
        )
    return nodes * each


def as_torchrun_sets_it(rank: ranks.Rank) -> dict[str, str]:
    """The environment of a rank."""
    size, nodes = rank.world_size, -(-rank.world_size // rank.machine.gpus_per_node)
    return {
        "RANK": str(rank.gpu.rank),
        "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(rank.local_rank),
        "LOCAL_WORLD_SIZE": str(rank.node_size),
        "GROUP_RANK": str(rank.node),
        "GROUP_WORLD_SIZE": str(nodes),
        "ROLE_RANK": str(rank.gpu.rank),
        "ROLE_WORLD_SIZE": str(size),
        "ROLE_NAME": "default",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "29500",
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_MAX_RESTARTS": "0",
        "TORCHELASTIC_RUN_ID": "none",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }


@contextlib.contextmanager
def garbage_is_left() -> Iterator[None]:
    """Exclude existing objects from garbage collection in ranks: collections then come at the same points in every run, and
    memory that forked ranks share with this process stays shared."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def run_script(options: Options) -> dict[str, Any]:
    """Run the script like `python3 script.py` or `python3 -m module`. Returns the global names that it leaves."""
    sys.argv = [options.script, *options.arguments]
    if options.is_module:
        sys.path[0] = os.getcwd()
        return runpy.run_module(options.script, run_name="__main__", alter_sys=True)
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    return runpy.run_path(options.script, run_name="__main__")


def check_script(options: Options) -> None:
    """Complain about a missing script before anything is started."""
    if options.is_module:
        return
    if not os.path.isfile(options.script):
        raise UsageError(f"there is no script {options.script}")


@contextlib.contextmanager
def stops_are_faults() -> Iterator[None]:
    """While ranks run, make Ctrl-C and SIGTERM end the run with a report instead of killing this process."""
    stops = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda *_: None) for number in stops}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Missed(Exception):
    """A folded run ended by a message to ranks that must run, too: `ranks`."""

    def __init__(self, ranks: list[int]) -> None:
        super().__init__()
        self.ranks = ranks


class Starter:
    """Starts the ranks of runs, one run after another. Calls on_end after each run, however it ended."""

    def __init__(self, setting: ranks.Setting, on_end: Callable[[Result, Channel, str], Any]) -> None:
        self.setting = setting
        self.on_end = on_end
        self.has_started = False
        self.waiting: list[str] = []
        """The line at which each rank of a run that ended early waits: "train.py:41"; empty if it was not waiting."""

    def start(self, count: int, program: Callable[[int], Any], *, as_torchrun: bool = False) -> None:
        """Run program(rank) as `count` ranks. Raises Ended if the run ends early, and Refused."""
        self.has_started = True
        fold = fold_of(count, self.setting.options.fold)
        while True:
            try:
                return self._start(fold, program, as_torchrun)
            except Missed as missed:
                more = sorted({*missed.ranks} - {*fold.running})
                notice(f"{many(more)} must run too, because running ranks exchange messages with them: starting over")
                fold = fold.with_ranks(more)

    def _start(self, fold: Fold, program: Callable[[int], Any], as_torchrun: bool) -> None:
        options = self.setting.options
        with contextlib.ExitStack() as open_until_then:
            words, meeting, places = (
                open_until_then.enter_context(contextlib.closing(each))
                for each in (Channel(), Meeting(), Places(fold.world))
            )
            run = ranks.Run(self.setting, fold, meeting, words, places)
            try:
                with stops_are_faults(), garbage_is_left():
                    result = launch(
                        fold.world,
                        functools.partial(be_rank, run, program, as_torchrun),
                        machine=options.machine,
                        watchdog=options.watchdog,
                        timeline=options.keeps_timeline,
                        title=options.title,
                        faults=options.faults,
                        running=fold.running if fold.is_folded else (),
                    )
            except Error as error:
                if error.result is None:
                    raise
                if options.fold is not None and options.fold.grows:
                    for _, missed in words.told("missed"):
                        raise Missed(missed) from None
                explanation = explained(error, places)
                self.waiting = [places.of(rank).waits_at() for rank in fold.running]
                self.on_end(error.result, words, explanation)
                for _, refusal in words.told("refused"):
                    raise Refused(refusal) from None
                raise Ended(error, explanation) from None
            self.on_end(result, words, "")


def refusal_in(error: Exception, rank: ranks.Rank) -> str:
    """The refusal, with its line, if it is what ended a script; empty for any other error."""
    if isinstance(error, Refused):
        return str(error)
    # PyTorch turns a refusal of its operators into an exception of its own.
    known = rank.gpus.refusal if rank.gpus is not None else ""
    line = explain.raised_at(error)
    return f"{line}: {known}" if known and str(error).startswith(known) else ""


def be_rank(run: ranks.Run, program: Callable[[int], Any], as_torchrun: bool, gpu: GPU) -> None:
    """Run the process of a rank."""
    with ranks.begin(gpu, run) as rank:
        rank.tell("stands for", rank.fold.stands_for[gpu.rank])
        if as_torchrun:
            os.environ.update(as_torchrun_sets_it(rank))
            from_torch.seed(gpu.rank)
        try:
            ranks.run_program(lambda: program(gpu.rank))
        except SystemExit as left:  # the rank still reports what it has to report
            if left.code not in (None, 0):
                raise
        except Exception as error:
            if rank.gpus is not None and rank.gpus.missed:
                rank.tell("missed", rank.gpus.missed)
            if refusal := refusal_in(error, rank):
                rank.tell("refused", refusal)
            raise error.with_traceback(explain.trimmed(error)) from None
