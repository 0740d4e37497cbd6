"""What there are stand-ins for."""

from __future__ import annotations

from pathlib import Path

PACKAGES = Path(__file__).parent / "packages"


def names() -> frozenset[str]:
    """As a script imports them."""
    return frozenset(path.stem for path in PACKAGES.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
