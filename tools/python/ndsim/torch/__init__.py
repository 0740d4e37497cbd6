"""PyTorch on simulated GPUs."""
