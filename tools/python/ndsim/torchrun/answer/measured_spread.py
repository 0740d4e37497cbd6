"""How far measured steps of PyTorch scripts are from simulated ones, by GPU generation. Written by tools/torch_accuracy.py."""

SPREAD = {"ampere": 0.07, "hopper": 0.11}
"""Exponent e: 8 of 10 measured steps are between exp(-e) and exp(e) times the simulated one."""
