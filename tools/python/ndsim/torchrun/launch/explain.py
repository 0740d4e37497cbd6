"""Locates events in the script: errors, the waits of a deadlock, refusals.

A line belongs to the script if it is not in PyTorch, ndsim or Python's library.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import types
from types import CodeType, FrameType, TracebackType

LIBRARY = (sysconfig.get_path("stdlib") + os.sep, sysconfig.get_path("platstdlib") + os.sep)
NDSIM = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
PACKAGES = ("ndsim", "torch", "numpy")

_of_script: dict[CodeType, bool] = {}


def is_script(code: CodeType) -> bool:
    """Whether this code belongs to the script."""
    known = _of_script.get(code)
    if known is None:
        file = os.path.abspath(code.co_filename)
        modules = [sys.modules[name] for name in PACKAGES if name in sys.modules]
        packages = tuple(os.path.dirname(os.path.abspath(module.__file__ or "")) + os.sep for module in modules)
        of_library = file.startswith(LIBRARY) and f"-packages{os.sep}" not in file
        known = not (of_library or file.startswith(packages) or code.co_filename.startswith("<frozen"))
        _of_script[code] = known
    return known


def cell_name(file: str) -> str:
    """The reader's name of a notebook cell, which has no file: "In[3]"; for anything else, the file."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name = shell.compile.format_code_name(file) if shell is not None else None
    return name[1] if name else file


def short(file: str) -> str:
    """A file as one would type it: relative to the working directory if it is below, otherwise only its name."""
    return _short_from(file, os.getcwd())


@functools.cache
def _short_from(file: str, folder: str) -> str:
    here = os.path.relpath(cell_name(file), folder)
    return here if not here.startswith(os.pardir) else os.path.basename(file)


def script_frame(frame: FrameType | None = None) -> FrameType | None:
    """The innermost call in the script."""
    if frame is None:
        frame = sys._getframe(1)
    while frame is not None and not is_script(frame.f_code):
        frame = frame.f_back
    return frame


def where() -> str:
    """The current line of the script: "train.py:41"; empty if none is running."""
    frame = script_frame(sys._getframe(1))
    return f"{short(frame.f_code.co_filename)}:{frame.f_lineno}" if frame is not None else ""


def line_of(code: CodeType, instruction: int) -> str:
    """The line of an instruction, given its offset in the code."""
    lines = [line for first, last, line in code.co_lines() if first <= instruction < last]
    return f"{short(code.co_filename)}:{lines[0] if lines else code.co_firstlineno}"


def raised_at(error: BaseException) -> str:
    """The innermost line of the script that an exception passed through."""
    line = ""
    step = error.__traceback__
    while step is not None:
        if is_script(step.tb_frame.f_code):
            line = f"{short(step.tb_frame.f_code.co_filename)}:{step.tb_lineno}"
        step = step.tb_next
    return line


def trimmed(error: BaseException) -> TracebackType | None:
    """The traceback of an exception, reduced to its calls in the script and the innermost call of PyTorch or Python."""
    every: list[TracebackType] = []
    step = error.__traceback__
    while step is not None:
        if not step.tb_frame.f_code.co_filename.startswith(NDSIM):
            every.append(step)
        step = step.tb_next
    kept = [each for i, each in enumerate(every) if is_script(each.tb_frame.f_code) or i == len(every) - 1]
    found: TracebackType | None = None
    for each in reversed(kept):
        found = types.TracebackType(found, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return found
