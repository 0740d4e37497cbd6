"""What a stand-in knows the name of, and cannot do."""

from __future__ import annotations

from typing import NoReturn

from ..refusals import Refused, refuse


def not_simulated(what: str, instead: str) -> NoReturn:
    """Refuse it, with the script's line and what does the same."""
    refuse(what, instead)
    raise Refused(what)
