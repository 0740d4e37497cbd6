"""python3 -m ndsim.torchrun: a training script for torch.distributed, unmodified, on the machine of one's choice."""
