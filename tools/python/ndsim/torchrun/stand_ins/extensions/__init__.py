"""Extensions that torch.utils.cpp_extension.load would compile for GPUs, under the names that frameworks give them."""
