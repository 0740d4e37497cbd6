"""PyTorch's flex attention, where it is compiled: masks, and kernels with functions of the script inside."""
