"""Parts of a whole as a bar of letters: the time of a step or of a run, the memory of a GPU."""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 60


def bar(parts: Iterable[tuple[str, float]], whole: float, rest: str) -> str:
    """Each part's letter as often as its share has room; what is left has the letter of the rest."""
    letters = "".join(letter * round(WIDTH * part / whole) for letter, part in parts)
    return letters[:WIDTH].ljust(WIDTH, rest)
