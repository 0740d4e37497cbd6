"""Optimizers that step group by group of their parameters, as those of DeepSpeed's ZeRO: all groups together are one step."""

from __future__ import annotations

import weakref
from typing import Any

_begun: weakref.WeakKeyDictionary[Any, list[weakref.ref[Any]]] = weakref.WeakKeyDictionary()
"""Of each optimizer, the first parameter of each group that has stepped since its step began."""


def begins_step(optimizer: Any) -> bool:
    """Whether a step of this optimizer is the first of its groups', or of all parameters at once."""
    first = next((each for group in optimizer.param_groups for each in group["params"]), None)
    if first is None:
        return True
    begun = _begun.setdefault(optimizer, [])
    if begun and not any(each() is first for each in begun):
        begun.append(weakref.ref(first))
        return False
    # A group that comes again is of the next step.
    begun[:] = [weakref.ref(first)]
    return True
