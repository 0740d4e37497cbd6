"""The location of Float8Tensor in TransformerEngine."""

from .quantized import Float8Tensor

__all__ = ["Float8Tensor"]
