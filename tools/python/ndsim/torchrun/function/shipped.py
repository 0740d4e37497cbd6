"""Sends a function to ranks by value, with its source lines, and their return values back.

This takes cloudpickle: Python's own pickle stores a notebook's function only by name, which a fresh process does not have.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import linecache
import pickle
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

from ..._errors import MachineLimit, UsageError
from ..launch.explain import cell_name

CANNOT_BE_PICKLED = (pickle.PicklingError, TypeError, AttributeError, ValueError, NotImplementedError)

Lines = dict[str, Any]
"""Entries of linecache, by file name."""


@dataclasses.dataclass(frozen=True)
class Shipped:
    """A function with its arguments."""

    call: bytes
    lines: Lines
    """Source lines of the function's files that are in no file system, such as the cells of a notebook."""


def pickler() -> Any:
    try:
        return importlib.import_module("cloudpickle").Pickler
    except ImportError:
        raise MachineLimit(
            f"ndsim.torch.launch ships functions by cloudpickle, which is not installed: "
            f"`{sys.executable} -m pip install cloudpickle` installs it"
        ) from None


def pickled(value: Any, reduce: Callable[[Any], Any]) -> bytes:
    """reduce: returns an object's reduction, as __reduce__ does; NotImplemented means the usual one."""
    base = pickler()

    class Pickler(base):  # type: ignore[misc]
        def reducer_override(self, each: Any) -> Any:
            reduced = reduce(each)
            return super().reducer_override(each) if reduced is NotImplemented else reduced

    into = io.BytesIO()
    Pickler(into).dump(value)
    return into.getvalue()


def ship(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Shipped:
    """Raises UsageError if something that the function uses cannot leave its process."""
    lines: Lines = {}
    code_of = pickler().dispatch_table[CodeType]

    def reduce(each: Any) -> Any:
        if not isinstance(each, CodeType):
            return NotImplemented
        name = cell_name(each.co_filename)
        entry = linecache.cache.get(each.co_filename)
        if entry is not None and len(entry) > 2 and entry[1] is None:
            lines[name] = (*entry[:3], name)
        make, of = code_of(each)[:2]
        return code_in_file, (make, of, name)

    try:
        return Shipped(pickled((function, arguments), reduce), lines)
    except CANNOT_BE_PICKLED as error:
        raise UsageError(f"the function cannot be sent to the ranks, with its arguments and the globals that it uses: {error}") from error


def code_in_file(make: Callable[..., CodeType], of: tuple[Any, ...], name: str) -> CodeType:
    """Create the code with its file name set: cloudpickle drops it."""
    return make(*of).replace(co_filename=name)
