"""What TransformerEngine's frameworks share."""

from . import recipe

__all__ = ["recipe"]
