"""Attention and rotary embeddings."""

from .dot_product_attention import DotProductAttention
from .parts import _SplitAlongDim
from .rope import RotaryPositionEmbedding, apply_rotary_pos_emb

__all__ = ["DotProductAttention", "RotaryPositionEmbedding", "_SplitAlongDim", "apply_rotary_pos_emb"]
