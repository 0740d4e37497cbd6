"""Attention: softmax(q k^T) v."""

from .attention import DotProductAttention

__all__ = ["DotProductAttention"]
