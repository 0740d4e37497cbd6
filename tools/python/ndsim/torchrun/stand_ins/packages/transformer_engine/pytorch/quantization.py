"""The location of fp8's contents in later versions."""

from .fp8 import FP8GlobalStateManager, autocast, fp8_autocast, fp8_model_init, quantized_model_init

__all__ = ["FP8GlobalStateManager", "autocast", "fp8_autocast", "fp8_model_init", "quantized_model_init"]
