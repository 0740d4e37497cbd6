"""Where in the script something happens: for errors, for what waits in a deadlock, for what is refused.

A line belongs to the script if it is neither of PyTorch, nor of ndsim, nor of Python's library.
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
    """Whether this code is the script's."""
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
    """Of a notebook's cell, whose file is nowhere, as its reader knows it: "In[3]"; else the file."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name = shell.compile.format_code_name(file) if shell is not None else None
    return name[1] if name else file


def short(file: str) -> str:
    """A file as one would type it: from here where it is below, and its name where it is far away."""
    return _short_from(file, os.getcwd())


@functools.cache
def _short_from(file: str, folder: str) -> str:
    here = os.path.relpath(cell_name(file), folder)
    return here if not here.startswith(os.pardir) else os.path.basename(file)


def script_frame(frame: FrameType | None = None) -> FrameType | None:
    """The innermost call that stands in the script."""
    if frame is None:
        frame = sys._getframe(1)
    while frame is not None and not is_script(frame.f_code):
        frame = frame.f_back
    return frame


def where() -> str:
    """The line of the script that runs: "train.py:41"; empty: none does."""
    frame = script_frame(sys._getframe(1))
    return f"{short(frame.f_code.co_filename)}:{frame.f_lineno}" if frame is not None else ""


def line_of(code: CodeType, instruction: int) -> str:
    """The line of an instruction, by its place in its code."""
    lines = [line for first, last, line in code.co_lines() if first <= instruction < last]
    return f"{short(code.co_filename)}:{lines[0] if lines else code.co_firstlineno}"


def raised_at(error: BaseException) -> str:
    """The innermost line of the script that an exception has passed."""
    line = ""
    step = error.__traceback__
    while step is not None:
        if is_script(step.tb_frame.f_code):
            line = f"{short(step.tb_frame.f_code.co_filename)}:{step.tb_lineno}"
        step = step.tb_next
    return line


def trimmed(error: BaseException) -> TracebackType | None:
    """The traceback of an exception: its calls in the script, and the innermost of PyTorch's or Python's."""
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
