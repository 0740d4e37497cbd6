"""Parts of a whole as a bar of letters: the time of a step or a run, or the memory of a GPU."""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 60


def bar(parts: Iterable[tuple[str, float]], whole: float, rest: str) -> str:
    """Repeats each part's letter in proportion to its share; the remainder gets the letter `rest`."""
    letters = "".join(letter * round(WIDTH * part / whole) for letter, part in parts)
    return letters[:WIDTH].ljust(WIDTH, rest)
