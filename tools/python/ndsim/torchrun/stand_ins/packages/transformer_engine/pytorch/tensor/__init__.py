"""Tensors of 8 bits as a framework asks for them: none of its own is one, as parameters stay in higher precision."""

from .quantized import Float8Tensor, MXFP8Tensor, QuantizedTensor

__all__ = ["Float8Tensor", "MXFP8Tensor", "QuantizedTensor"]
