"""Triton language extras for NVIDIA GPUs: has any name."""

from triton.language import __getattr__ as __getattr__
