"""The caller's side of ndsim.torch.launch. It does not import PyTorch and does not fork its own process."""

from __future__ import annotations

import codecs
import contextlib
import os
import pickle
import select
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from ..._errors import Error, MachineLimit, UsageError
from ..answer.run import Run
from ..options import Options, keyword_options
from . import shipped
from .exchange import Answer, Exchange, Request

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BEGIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from ndsim.torchrun.function.called import main; sys.exit(main())"

SECONDS_TO_END = 10
MOST_AT_ONCE = 1 << 16


def launch(fn: Callable[..., Any], ranks: int = 1, *, args: Sequence[Any] = (), **options: Any) -> Run:
    """Run ``fn(*args)`` as ``ranks`` ranks, each a fresh process with simulated GPUs, whatever this process has imported.

    It is `python3 -m ndsim.torchrun` with a function instead of a script, and takes that command's options: machine="dgx-h100",
    trace="run.json", report="run.html", timeline=True, explain_cost=True, hollow=True, fold=8, compiled=True, watchdog=60 and so
    on. The output of ranks is shown as it comes.

    The function, its arguments and the globals that it uses are sent to the ranks by value, with the package cloudpickle; modules
    are imported there. The return value is sent back, with GPU tensors as host tensors.

    Raises the reason why the run ended early: DeadlockError, MismatchError, ProgramError, RankDied (an exception in a rank, or
    out of memory), RankHung, MachineLimit, OutputError, each with the lines of the function, and UsageError for an invalid option
    and for anything without a simulated counterpart. Ctrl-C ends the ranks. Nothing is left behind in any case.
    """
    if not callable(fn):
        raise UsageError(f"launch needs a function, not {type(fn).__name__}")
    name = getattr(fn, "__name__", type(fn).__name__)
    asked = keyword_options(name, {"ranks": ranks, **options})
    program = shipped.ship(fn, tuple(args))
    with contextlib.closing(Exchange()) as exchange:
        status = run_process(exchange, asked, program)
        return result_of(exchange, status)


def run_process(exchange: Exchange, options: Options, program: shipped.Shipped) -> int:
    """Run the process that starts the ranks until it ends. Returns its exit status in the form of subprocess."""
    request = Request(options, program, os.getpid(), [os.path.abspath(folder) for folder in sys.path], sys.argv)
    exchange.put(Exchange.REQUEST, pickle.dumps(request))
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN, PACKAGE, str(exchange.file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(exchange.file,),
        # Ctrl-C at a terminal must reach only this process, which then ends the ranks.
        start_new_session=True,
    )
    ended = os.pidfd_open(process.pid)
    with process:
        try:
            show_until_end(process, ended)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            show_until_end(process, ended)
            raise
        finally:
            end(process, ended)
    return process.returncode


def end(process: subprocess.Popen[bytes], ended: int) -> None:
    """End the process if it still runs: its ranks end with it, and others that it started, such as compilers, are in its group."""
    if not select.select([ended], [], [], 0)[0]:
        process.terminate()
        select.select([ended], [], [], SECONDS_TO_END)
    os.close(ended)
    # The process ID cannot be reused until somebody has waited for the process.
    os.killpg(process.pid, signal.SIGKILL)


class Shown:
    """One of the process's outputs, copied to an output of this process."""

    def __init__(self, pipe: int, stream: TextIO) -> None:
        os.set_blocking(pipe, False)
        self.pipe = pipe
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def show(self) -> bool:
        """Show what is available. Returns False if nothing more will come."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.pipe, MOST_AT_ONCE):
                self.stream.write(self.decoder.decode(data))
                self.stream.flush()
            return False
        return True


def show_until_end(process: subprocess.Popen[bytes], ended: int) -> None:
    """Show what it and the ranks print, until it ends; other processes may keep its outputs open for longer."""
    assert process.stdout is not None
    assert process.stderr is not None
    outputs = [Shown(process.stdout.fileno(), sys.stdout), Shown(process.stderr.fileno(), sys.stderr)]
    with selectors.DefaultSelector() as waiting:
        waiting.register(ended, selectors.EVENT_READ)
        for each in outputs:
            waiting.register(each.pipe, selectors.EVENT_READ, each)
        has_ended = False
        while not has_ended:
            ready = [key for key, _ in waiting.select()]
            has_ended = any(key.data is None for key in ready)
            for key in ready:
                if key.data is not None and not key.data.show():
                    waiting.unregister(key.fd)
    for each in outputs:
        each.show()


def result_of(exchange: Exchange, status: int) -> Run:
    """The result of the run; raises the error that ended it."""
    data = exchange.take(Exchange.ANSWER)
    if not data:
        how = f"was killed by signal {-status}" if status < 0 else f"ended with exit code {status}"
        raise MachineLimit(f"the process that starts the ranks {how}")
    answer: Answer = pickle.loads(data)
    if answer.error is not None:
        kind, message, rank, number = answer.error
        error: Error = kind(message)
        error.rank, error.signal = rank, number
        raise error
    assert answer.report is not None
    returned = [exchange.take(Exchange.FIRST_RANK + row["rank"]) for row in answer.report["per_rank"]]
    return Run([pickle.loads(each) if each else None for each in returned], answer.report, answer.text)
