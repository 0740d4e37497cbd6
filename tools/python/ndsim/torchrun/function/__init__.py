"""ndsim.torch.launch: runs a function of a notebook or a program as the ranks of fresh processes."""
