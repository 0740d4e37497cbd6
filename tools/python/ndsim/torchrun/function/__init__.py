"""ndsim.torch.launch: a function of a notebook or a program runs as the ranks of fresh processes."""
