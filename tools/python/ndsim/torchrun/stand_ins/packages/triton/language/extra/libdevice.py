"""Functions of NVIDIA's library for kernels: any name is there."""

from triton.language import __getattr__ as __getattr__
