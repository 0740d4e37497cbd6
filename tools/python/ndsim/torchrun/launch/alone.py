"""This process as the only rank of a world: for a script that asked for no ranks, and for a notebook."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ..._errors import fault_of
from ..._ndsim import Here
from .. import rank as ranks
from .. import simulated
from ..refusals import Refused
from .channel import Channel
from .fold import Fold
from .places import Places
from .rendezvous import Meeting
from .start import Ended, Starter, explained, garbage_is_left, refusal_in


@contextlib.contextmanager
def run_of_one(setting: ranks.Setting) -> Iterator[ranks.Run]:
    """The shared state of a run with this process as its only rank."""
    options = setting.options
    world = Here(machine=options.machine, timeline=options.keeps_timeline, title=options.title, faults=options.faults)
    with contextlib.ExitStack() as open_until_then:
        words, meeting, places = (
            open_until_then.enter_context(contextlib.closing(each)) for each in (Channel(), Meeting(), Places(1))
        )
        yield ranks.Run(setting, Fold(1, (0,)), meeting, words, places, world)


def run_script(starter: Starter, program: Callable[[], Any]) -> None:
    """Run a script that may use GPUs itself or start ranks. Raises the script's exceptions, Ended and Refused."""
    with run_of_one(starter.setting) as run:
        world = run.alone
        assert world is not None
        try:
            with garbage_is_left(), ranks.begin(world.gpu, run) as rank:
                run_to_its_end(program, rank)
                is_told = simulated.has_used_gpus() or not starter.has_started
        except Exception:
            result = world.so_far()
            if result.fault is None:
                raise
        else:
            result = world.end()
        if result.fault is not None:
            error = fault_of(result)
            explanation = explained(error, run.places)
            starter.on_end(result, run.words, explanation)
            raise Ended(error, explanation)
        if is_told:
            starter.on_end(result, run.words, "")


def run_to_its_end(program: Callable[[], Any], rank: ranks.Rank) -> None:
    """A script may also end by sys.exit()."""
    try:
        ranks.run_program(program)
    except SystemExit as left:
        if left.code not in (None, 0):
            raise
    except Exception as error:
        if refusal := refusal_in(error, rank):
            raise Refused(refusal) from None
        raise
