"""The command python3 -m ndsim.torchrun: its exit codes are those of ndsim."""

from __future__ import annotations

import sys
import traceback

from .. import _errors as errors
from . import from_torch, rank, simulated
from .answer import answers as answer
from .launch import explain, spawn, start
from .options import Options, help_text, read_options
from .refusals import Refused

FAILED, USAGE, DEADLOCK, RANK_DIED, RANK_HUNG, NO_OUTPUT, MACHINE_LIMIT, STOPPED = 1, 2, 3, 4, 5, 6, 7, 128
SIGINT = 2

EXIT_CODES: tuple[tuple[type[errors.Error], int], ...] = (
    (errors.UsageError, USAGE),
    (errors.ProgramError, DEADLOCK),
    (errors.RankDied, RANK_DIED),
    (errors.RankHung, RANK_HUNG),
    (errors.OutputError, NO_OUTPUT),
    (errors.MachineLimit, MACHINE_LIMIT),
)


def exit_code_of(error: errors.Error) -> int:
    if isinstance(error, errors.Interrupted):
        return STOPPED + error.signal
    return next(code for kind, code in EXIT_CODES if isinstance(error, kind))


def complain(what: object) -> None:
    print(f"ndsim.torchrun: {what}", file=sys.stderr)


def run(options: Options) -> None:
    """Run the script, which ends with what it prints and with the answer."""
    setting = rank.Setting(options, start.machine_of(options))
    start.check_script(options)
    count = start.world_of(options, setting.machine)
    simulated.open_door(options.machine, hollow=options.hollow)
    from_torch.import_torch()
    from_torch.seed(0)
    rank.prepare(setting)
    answers = answer.Answers(setting)
    starter = start.Starter(setting, answers.add)
    spawn.use(starter)
    try:
        if count is not None:
            starter.start(count, lambda rank: start.run_script(options), as_torchrun=True)
        else:
            start.run_script(options)
            spawn.run_waiting()
    finally:
        answers.close()


def main() -> int:
    try:
        options = read_options(sys.argv[1:])
        if options is None:
            print(help_text(), end="")
            return 0
        run(options)
    except start.Ended as ended:
        if not isinstance(ended.error, errors.Interrupted):
            complain(ended)
        return exit_code_of(ended.error)
    except Refused as refusal:
        complain(refusal)
        return USAGE
    except errors.Error as error:
        complain(error)
        return exit_code_of(error)
    except KeyboardInterrupt:
        return STOPPED + SIGINT
    except Exception as error:  # of a script that starts its ranks itself
        traceback.print_exception(type(error), error, explain.trimmed(error))
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
