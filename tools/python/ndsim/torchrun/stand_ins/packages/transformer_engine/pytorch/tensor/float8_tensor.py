"""Where TransformerEngine has Float8Tensor."""

from .quantized import Float8Tensor

__all__ = ["Float8Tensor"]
