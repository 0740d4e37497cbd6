"""Functions of NVIDIA's device library: has any name."""

from triton.language import __getattr__ as __getattr__
