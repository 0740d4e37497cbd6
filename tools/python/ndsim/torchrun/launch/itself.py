"""Scripts that start their ranks as subprocesses: Lightning runs its script once more for each rank but the first, with the rank in
the environment.

What is started is a run of that many ranks. So this process begins anew as that run, as if --nproc had been given.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from .. import rank as ranks
from . import explain, spawn

WITHOUT_VALUE = "-bBdEhiIOPqRsSuvVx?"


def world_in(environment: Mapping[str, str]) -> int | None:
    """How many ranks there are, where the environment makes a process one of several."""
    size, rank = environment.get("WORLD_SIZE", ""), environment.get("RANK", environment.get("LOCAL_RANK", ""))
    return int(size) if size.isdigit() and rank.isdigit() and int(size) > 1 else None


def program_in(command: Any) -> list[str] | None:
    """What Python is to run: ["-m", module, arguments…] or [script, arguments…]; None: something else is started."""
    if isinstance(command, (str, bytes, os.PathLike)) or not isinstance(command, Sequence):
        return None
    program, *rest = (os.fsdecode(each) for each in command)
    if not os.path.basename(program).startswith("python"):
        return None
    while rest and rest[0].startswith("-") and not set(rest[0][1:]) - set(WITHOUT_VALUE):
        rest = rest[1:]
    return rest if rest and (rest[0] == "-m" or not rest[0].startswith("-")) else None


def options_before(arguments: list[str], options: Any) -> list[str]:
    """The command line of this program, without the script and what belongs to it."""
    own = arguments[: len(arguments) - 1 - len(options.arguments)]
    return [each for each in own if each not in ("-m", "--module")]


def prepare(setting: ranks.Setting) -> None:
    own, environment = options_before(sys.argv[1:], setting.options), dict(os.environ)
    really_begin = subprocess.Popen.__init__

    def begin(self: Any, args: Any, *rest: Any, **settings: Any) -> None:
        rank, given = ranks.this_rank(), settings.get("env")
        world = world_in(os.environ if given is None else given)
        program = program_in(args) if rank is not None and rank.alone is not None and world else None
        line = explain.where()
        if program is None or not line:
            really_begin(self, args, *rest, **settings)
            return
        if not spawn.may_start_ranks(rank):
            raise RuntimeError(f"this process has used its GPUs, and starts {world} ranks: start it with --nproc {world}")
        print(f"ndsim.torchrun: {line} starts {world} ranks: they run from the beginning, as with --nproc {world}", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        command = [sys.executable, "-m", "ndsim.torchrun", "--nproc", str(world), *own, *program]
        os.execve(sys.executable, command, environment)

    subprocess.Popen.__init__ = begin  # type: ignore[method-assign]
