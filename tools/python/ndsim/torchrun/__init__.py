"""python3 -m ndsim.torchrun: runs an unmodified torch.distributed training script on the machine of your choice."""
