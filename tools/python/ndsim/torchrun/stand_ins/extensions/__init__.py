"""What torch.utils.cpp_extension.load would compile for GPUs, by the names that frameworks give it."""
