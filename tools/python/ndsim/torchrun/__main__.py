"""The command python3 -m ndsim.torchrun. Its exit codes are those of ndsim."""

from __future__ import annotations

import sys
import traceback

from .. import _errors as errors
from . import running
from .answer import answers
from .launch import explain, start
from .options import Options, help_text, read_options

FAILED, USAGE, DEADLOCK, RANK_DIED, RANK_HUNG, NO_OUTPUT, MACHINE_LIMIT, STOPPED = 1, 2, 3, 4, 5, 6, 7, 128

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
    """Run the script; print its output and the answer."""
    setting = running.setting_of(options)
    start.check_script(options)
    running.run(answers.Answers(setting, answers.standard_output(options)), lambda: start.run_script(options))


def main() -> int:
    try:
        options = read_options(sys.argv[1:])
        if options is None:
            print(help_text(), end="")
            return 0
        run(options)
    except running.ENDS as end:
        error = running.error_of(end)
        if not isinstance(error, errors.Interrupted):
            complain(error)
        return exit_code_of(error)
    except Exception as error:  # from a script that starts its ranks itself
        traceback.print_exception(type(error), error, explain.trimmed(error))
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
