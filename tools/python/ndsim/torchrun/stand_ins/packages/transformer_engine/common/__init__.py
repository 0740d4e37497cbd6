"""Code that TransformerEngine's framework bindings share."""

from . import recipe

__all__ = ["recipe"]
