"""Fully sharded data parallelism: each rank keeps a share of every weight, and gathers a block only while it computes it.

    torchrun --nproc_per_node 8 fsdp.py [--strategy fsdp|zero2|ddp]

The losses are those of DDP. FSDP wants CUDA; on a CPU the script trains the same model under DDP, and says so.
"""

import argparse
import functools
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def distribute(model, strategy, local_rank):
    """The model as all ranks train it together. A block is what is gathered at a time."""
    if strategy == "ddp":
        return DDP(model, device_ids=[local_rank] if torch.cuda.is_available() else None)
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

    kinds = {"fsdp": ShardingStrategy.FULL_SHARD, "zero2": ShardingStrategy.SHARD_GRAD_OP}
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    return FullyShardedDataParallel(model, auto_wrap_policy=policy, sharding_strategy=kinds[strategy], device_id=local_rank)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", choices=["fsdp", "zero2", "ddp"], default="fsdp")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--batch", type=int, default=32, help="samples of a rank")
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    elif options.strategy != "ddp":
        options.strategy = "ddp"
        if rank == 0:
            print("no CUDA: trained under DDP")
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")

    torch.manual_seed(0)
    model = nn.Sequential(*[Block(options.width) for _ in range(options.blocks)], nn.Linear(options.width, 10)).to(device)
    count = sum(parameter.numel() for parameter in model.parameters())
    model = distribute(model, options.strategy, local_rank)
    # Made after the wrapping: the optimizer's states are as large as what this rank keeps.
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    generator = torch.Generator().manual_seed(1)
    times = []
    for step in range(4):
        inputs = torch.randn(world, options.batch, options.width, generator=generator)[rank].to(device)
        labels = inputs[:, :10].argmax(dim=1)
        started = time.perf_counter()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        mean = loss.detach() / world
        dist.all_reduce(mean)
        value = mean.item()
        times.append(time.perf_counter() - started)
        if rank == 0:
            print(f"step {step}: loss {value:.9g}")
    if rank == 0:
        print(f"{options.strategy}, {count:,} weights on {world} ranks: {min(times) * 1e3:.3f} ms a step")
        if on_gpu:
            print(f"peak memory of rank 0: {torch.cuda.max_memory_allocated() / 2**20:.1f} MiB")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
