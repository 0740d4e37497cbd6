"""Grouped matmuls of experts."""

from . import ops

__all__ = ["ops"]
