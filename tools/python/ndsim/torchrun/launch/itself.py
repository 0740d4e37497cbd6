"""Scripts that start ranks as separate processes: Lightning runs its script again for each further rank, with the rank in the
environment; launchers of frameworks call torchrun's function.

Such a script asks for a run with that many ranks, so this process starts over as that run, as if the command had asked for it.
"""

from __future__ import annotations

import importlib.abc
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from ...torch.door import finished_later
from .. import rank as ranks
from .. import refusals
from . import explain, spawn

LAUNCHER = "torch.distributed.run"
FLAGS_OF_PYTHON = "-bBdEhiIOPqRsSuvVx?"


def world_in(environment: Mapping[str, str]) -> int | None:
    """The number of ranks, if the environment makes a process one of several."""
    size, rank = environment.get("WORLD_SIZE", ""), environment.get("RANK", environment.get("LOCAL_RANK", ""))
    return int(size) if size.isdigit() and rank.isdigit() and int(size) > 1 else None


def program_in(command: Any) -> list[str] | None:
    """The program that Python would run: ["-m", module, arguments…] or [script, arguments…]; None for any other command."""
    if isinstance(command, (str, bytes, os.PathLike)) or not isinstance(command, Sequence):
        return None
    program, *rest = (os.fsdecode(each) for each in command)
    if not os.path.basename(program).startswith("python"):
        return None
    while rest and rest[0].startswith("-") and not set(rest[0]) - set(FLAGS_OF_PYTHON):
        rest = rest[1:]
    return rest if rest and (rest[0] == "-m" or not rest[0].startswith("-")) else None


def program_of(torchrun: Any) -> list[str]:
    """The program in torchrun's arguments."""
    return [*(["-m"] if torchrun.module else []), torchrun.training_script, *torchrun.training_script_args]


def world_of(torchrun: Any) -> list[str]:
    """The number of ranks in torchrun's arguments, as options of this program."""
    nodes, each = str(torchrun.nnodes).rpartition(":")[2], str(torchrun.nproc_per_node)
    each = "gpu" if each == "auto" else each
    if nodes == "1" and each.isdigit():
        return ["--nproc", each]
    return ["--nnodes", nodes, "--nproc-per-node", each]


def options_before(arguments: list[str], options: Any) -> list[str]:
    """The command line of this program, without the script and its arguments."""
    own = arguments[: len(arguments) - 1 - len(options.arguments)]
    return [each for each in own if each not in ("-m", "--module")]


class Beginning:
    """Restarts this program."""

    def __init__(self, setting: ranks.Setting) -> None:
        self.own = options_before(sys.argv[1:], setting.options)

    def anew(self, world: list[str], program: list[str], environment: Mapping[str, str]) -> None:
        line, asked = explain.where(), " ".join(world)
        if not spawn.may_start_ranks(ranks.this_rank()):
            raise RuntimeError(f"this process has used its GPUs and can no longer start ranks; start it with {asked}")
        print(f"ndsim.torchrun: {line} starts ranks: they run from the beginning, as with {asked}", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, [sys.executable, "-m", "ndsim.torchrun", *self.own, *world, *program], dict(environment))

    def watch_subprocesses(self) -> None:
        really_begin = subprocess.Popen.__init__

        def begin(process: Any, args: Any, *rest: Any, **settings: Any) -> None:
            given = settings.get("env")
            environment = os.environ if given is None else given
            world = world_in(environment) if is_alone() and explain.where() else None
            program = program_in(args) if world else None
            if program is not None:
                self.anew(["--nproc", str(world)], program, environment)
            really_begin(process, args, *rest, **settings)

        subprocess.Popen.__init__ = begin  # type: ignore[method-assign]

    def watch_launcher(self, launcher: ModuleType) -> None:
        def run(args: Any) -> None:
            if not is_alone() or args.no_python or args.run_path:
                refusals.refuse(f"{LAUNCHER}.run", refusals.ELASTIC)
            self.anew(world_of(args), program_of(args), os.environ)

        setattr(launcher, "run", run)  # noqa: B010


def is_alone() -> bool:
    rank = ranks.this_rank()
    return rank is not None and rank.alone is not None


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, beginning: Beginning) -> None:
        self.beginning = beginning

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return finished_later(name, path, target, self.beginning.watch_launcher) if name == LAUNCHER else None


def prepare(setting: ranks.Setting) -> None:
    beginning = Beginning(setting)
    beginning.watch_subprocesses()
    if LAUNCHER in sys.modules:
        beginning.watch_launcher(sys.modules[LAUNCHER])
    else:
        sys.meta_path.insert(0, Finder(beginning))
