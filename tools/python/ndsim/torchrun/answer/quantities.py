"""Times and sizes in the words of ndsim: four digits and a unit."""

from __future__ import annotations


def digits(value: float) -> str:
    return f"{value:#.4g}".rstrip(".")


def in_units(value: float, units: tuple[tuple[float, str], ...]) -> str:
    for size, unit in units:
        if abs(value) >= size:
            return f"{digits(value / size)} {unit}"
    size, unit = units[-1]
    return f"{digits(value / size)} {unit}" if value else f"0 {unit}"


def time(seconds: float) -> str:
    return in_units(seconds, ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))) if seconds else "0 s"


def size(count: float) -> str:
    return in_units(count, ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")))


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.1f} %"
