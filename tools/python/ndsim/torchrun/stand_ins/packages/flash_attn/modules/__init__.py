"""Of flash_attn: what its stand-in has of modules."""
