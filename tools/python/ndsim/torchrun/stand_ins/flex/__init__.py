"""PyTorch's flex attention when compiled: masks, and kernels that call functions of the script."""
