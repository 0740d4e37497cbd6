"""The environment of a script besides PyTorch: clocks, profiler ranges, torch.compile, the steps of its optimizers."""
