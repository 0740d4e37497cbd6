"""Token routing in a hollow run, as `--routing` declares it: what topk picks from scores that were never computed."""

from __future__ import annotations

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Routing:
    """How topk picks from scores that were never computed."""

    text: str = "balanced"
    """The text of the option."""
    is_drawn: bool = False
    seed: int = 0
    shares: tuple[tuple[float, ...], ...] = ()
    is_declared: bool = True


BALANCED = Routing(is_declared=False)


def routing(text: str) -> Routing:
    """Parses balanced, drawn, drawn:SEED, or a file with a row of shares for each of the script's routers, one share per expert."""
    kind, colon, seed = text.partition(":")
    if kind == "balanced" and not colon:
        return Routing()
    if kind == "drawn" and (not colon or seed.isdigit()):
        return Routing(text, is_drawn=True, seed=int(seed or 0))
    path = pathlib.Path(text)
    if not path.is_file():
        raise ValueError("is neither balanced, nor drawn, nor drawn:SEED, nor a file")
    rows = [line.replace(",", " ").split() for line in path.read_text().splitlines() if line.strip()]
    shares = tuple(tuple(share(word, path, at) for word in row) for at, row in enumerate(rows, 1))
    if not shares:
        raise ValueError("has no shares")
    return Routing(text, is_drawn=True, shares=shares)


def share(word: str, path: pathlib.Path, line: int) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e12:
        raise ValueError(f"has {word} in line {line}: a share is a number above 0")
    return number
