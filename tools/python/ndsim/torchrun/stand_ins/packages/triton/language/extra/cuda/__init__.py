"""What Triton's language has for NVIDIA's GPUs: any name is there."""

from triton.language import __getattr__ as __getattr__
