"""How far measured steps of PyTorch scripts are from simulated ones, by generation of GPUs: tools/torch_accuracy.py writes it."""

SPREAD = {"ampere": 0.07, "hopper": 0.11}
"""e of a factor: 8 of 10 measured steps lie between exp(-e) and exp(e) times the simulated one."""
