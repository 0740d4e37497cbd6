"""Finds the live objects of a process by class, without importing anything or parsing logs."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterable, Iterator
from typing import Any


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """A garbage collection frees memory on the timeline, so looking must not trigger one."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def loaded(module: str) -> Any:
    """A module that the script has imported; None if it has not."""
    return sys.modules.get(module)


def class_of(path: str) -> type | None:
    """The class at this path, 'module.Class'; None if its module is not imported, or has no such class."""
    module, _, name = path.rpartition(".")
    # vars(), because some packages import a module when it is accessed as an attribute.
    found = vars(sys.modules[module]).get(name) if module in sys.modules else None
    return found if isinstance(found, type) else None


def is_a(value: Any, *paths: str) -> bool:
    """Whether it is an instance of one of these classes."""
    return any(kind is not None and issubclass(type(value), kind) for kind in map(class_of, paths))


def version_of(package: str) -> str | None:
    version = getattr(loaded(package), "__version__", None)
    return version if isinstance(version, str) else None


class Living:
    """The live objects of some classes, in order of creation."""

    def __init__(self, paths: Iterable[str]) -> None:
        classes = {path: kind for path in paths if (kind := class_of(path)) is not None}
        self._of: dict[str, list[Any]] = {path: [] for path in classes}
        if not classes:
            return
        wanted: dict[type, list[list[Any]]] = {}
        with without_collections():
            for each in gc.get_objects():
                kind = type(each)
                lists = wanted.get(kind)
                if lists is None:
                    lists = wanted[kind] = [self._of[path] for path, of in classes.items() if of in kind.__mro__]
                for found in lists:
                    found.append(each)

    def all(self, path: str) -> list[Any]:
        return self._of.get(path, [])

    def last(self, path: str) -> Any:
        """The most recently created one; None if there is none."""
        found = self.all(path)
        return found[-1] if found else None

    def only(self, path: str) -> Any:
        """None if there is none, or more than one."""
        found = self.all(path)
        return found[0] if len(found) == 1 else None
