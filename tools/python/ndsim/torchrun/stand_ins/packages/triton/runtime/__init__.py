"""Launching of Triton's kernels."""

from __future__ import annotations

from . import autotuner as autotuner
from . import jit as jit
from .jit import JITFunction as JITFunction
