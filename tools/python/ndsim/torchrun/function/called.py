"""The fresh process that starts the ranks of a function: it does what the command does, and answers its caller."""

from __future__ import annotations

import contextlib
import functools
import io
import linecache
import os
import pickle
import signal
import sys
from typing import Any

from ... import _errors as errors
from ...torch.making import loader
from .. import rank as ranks
from .. import running
from ..answer.answers import Answers
from ..launch import workers
from .exchange import Answer, Exchange, Request
from .shipped import CANNOT_BE_PICKLED, Shipped, pickled


def begin(exchange: Exchange) -> Request | None:
    """Take over the caller's request. Returns None if the caller is gone."""
    request: Request = pickle.loads(exchange.take(Exchange.REQUEST))
    workers.end_with_parent()
    if os.getppid() != request.caller:
        return None
    # The caller forwards Ctrl-C, which this process ignores if its caller was started in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.path[:], sys.argv[:] = request.path, request.argv
    return request


def call(shipped: Shipped) -> bytes:
    """Call the function, in a rank. Returns its return value, pickled."""
    linecache.cache.update(shipped.lines)
    function, arguments = pickle.loads(shipped.call)
    be_main(function)
    returned = function(*arguments)
    try:
        return pickled(returned, of_host)
    except CANNOT_BE_PICKLED as error:
        raise TypeError(f"what the function returns cannot be sent back: {error}") from error


def be_main(function: Any) -> None:
    """Copy the function's __main__ names into this process's __main__, where pickle looks for classes."""
    while isinstance(function, functools.partial):
        function = function.func
    if getattr(function, "__module__", "") == "__main__":
        main = vars(sys.modules["__main__"])
        main.update({name: value for name, value in getattr(function, "__globals__", {}).items() if name[:2] != "__"})
        with contextlib.suppress(AttributeError):
            main[function.__name__] = function


def of_host(each: Any) -> Any:
    """A tensor of a simulated GPU comes back as a host tensor, and a hollow one as a meta tensor."""
    torch: Any = sys.modules["torch"]
    if type(each) is not torch.Tensor:
        return NotImplemented
    if loader.loaded_slot().is_hollow(each):
        moved = each.detach().to("meta")
    elif each.is_cuda:
        moved = each.detach().cpu()
    else:
        return NotImplemented
    return moved.requires_grad_(each.requires_grad).__reduce_ex__(pickle.HIGHEST_PROTOCOL)


def run(request: Request, exchange: Exchange) -> Answer:
    out = io.StringIO()
    answers: Answers | None = None

    def program() -> None:
        rank = ranks.this_rank()
        assert rank is not None
        exchange.put(Exchange.FIRST_RANK + rank.gpu.rank, call(request.program))

    error: errors.Error | None = None
    try:
        answers = Answers(running.setting_of(request.options), out)
        running.run(answers, program)
    except running.ENDS as end:
        error = running.error_of(end)
    report = answers.runs[-1] if answers is not None and answers.runs else None
    return Answer(report, out.getvalue().strip("\n"), error and (type(error), str(error), error.rank, error.signal))


def main() -> int:
    exchange = Exchange(int(sys.argv[1]))
    request = begin(exchange)
    if request is not None:
        exchange.put(Exchange.ANSWER, pickle.dumps(run(request, exchange)))
    return 0
