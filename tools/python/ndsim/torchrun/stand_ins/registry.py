"""The list of stand-ins."""

from __future__ import annotations

from pathlib import Path

PACKAGES = Path(__file__).parent / "packages"
EXTENSIONS = Path(__file__).parent / "extensions"


def names(folder: Path = PACKAGES) -> frozenset[str]:
    """Names of packages as a script imports them, or of extensions as it has them compiled."""
    return frozenset(path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
