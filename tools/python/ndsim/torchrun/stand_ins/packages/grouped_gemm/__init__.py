"""Products of experts side by side."""

from . import ops

__all__ = ["ops"]
