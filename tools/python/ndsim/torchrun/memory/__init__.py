"""The memory of the simulated GPU, as PyTorch holds it."""
