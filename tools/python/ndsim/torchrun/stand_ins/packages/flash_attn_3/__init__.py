"""FlashAttention 3 on simulated GPUs: its operators, which flash_attn_interface calls."""

__version__ = "3.0.0"
