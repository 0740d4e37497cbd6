"""The kernels of the stand-ins, by purpose."""
