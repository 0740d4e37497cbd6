"""The kernels of the packages that stand in for others', by what they are for."""
