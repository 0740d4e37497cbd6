"""What a script meets besides PyTorch: clocks, profiler ranges, torch.compile, the steps of its optimizers."""
