"""Refuses features whose names a stand-in knows but which it cannot simulate."""

from __future__ import annotations

from typing import NoReturn

from ..refusals import Refused, refuse


def not_simulated(what: str, instead: str) -> NoReturn:
    """Refuse it, with the script's line and an alternative."""
    refuse(what, instead)
    raise Refused(what)
