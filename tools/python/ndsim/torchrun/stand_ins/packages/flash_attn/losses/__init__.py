"""The supported part of flash_attn's losses."""
