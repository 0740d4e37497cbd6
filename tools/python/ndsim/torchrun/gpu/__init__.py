"""What the simulated GPU does: operators, those that are one kernel, and where tensors are."""
