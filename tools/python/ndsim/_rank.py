"""Runs a rank's process before and after its program: output, last words, exit."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

# The launcher keeps about 1,000 bytes of what a rank raised.
MOST_BYTES = 960
MOST_OF_MESSAGE = 480

# Calls inside the package are of no use to the user.
PACKAGE = os.path.dirname(__file__)


def shortened(text: str, most: int) -> str:
    """The text, cut to at most `most` bytes of UTF-8."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return data.decode("utf-8")
    return data[: most - 3].decode("utf-8", "ignore") + "…"


def last_words(error: BaseException) -> str:
    """An exception in a few lines: its message, and the innermost calls that led to it, the last one first."""
    said = "".join(traceback.format_exception_only(type(error), error)).strip()
    words = shortened(said.removeprefix("ndsim._errors."), MOST_OF_MESSAGE)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if os.path.dirname(frame.filename).startswith(PACKAGE):
            continue
        line = f"\n  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line or ''}".rstrip(": ")
        if len((words + line).encode("utf-8", "replace")) > MOST_BYTES:
            break
        words += line
    return words


def flush() -> None:
    """Flush the output: a rank exits without Python's normal shutdown."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass


def print_by_line() -> None:
    """Keep lines of different ranks from mixing, and show them when printed, even if Python runs unbuffered (-u)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.closed:
            stream.reconfigure(line_buffering=True, write_through=False)


def be_rank(program: Callable[..., Any], args: tuple[Any, ...], gpu: Any) -> str:
    """Run the program as this rank. Returns the last words of a rank that failed; empty otherwise."""
    words = ""
    print_by_line()
    try:
        program(gpu, *args)
    except SystemExit as left:
        if left.code not in (None, 0):
            words = f"sys.exit({left.code!r})"
    except BaseException as error:
        words = last_words(error)
    flush()
    return words
