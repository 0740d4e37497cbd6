"""Tensor parallelism within a node, data parallelism across nodes: the two kinds of groups of every large training.

    torchrun --nnodes 2 --nproc_per_node 4 hybrid.py [--tensor 2]

Ranks 0 to 3 of the first node share one copy of the model, 4 to 7 of the second node the other; rank 0 averages its
gradients with rank 4, 1 with 5, 2 with 6, 3 with 7.
"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from tensor_parallel import Block


def make_groups(tensor):
    """This rank's tensor group and data group. Every rank makes all groups, in the same order, its own or not."""
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = {}
    for first in range(0, world, tensor):
        ranks = list(range(first, first + tensor))
        group = dist.new_group(ranks)
        if rank in ranks:
            mine["tensor"] = group
    for first in range(tensor):
        ranks = list(range(first, world, tensor))
        group = dist.new_group(ranks)
        if rank in ranks:
            mine["data"] = group
    return mine["tensor"], mine["data"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensor", type=int, default=int(os.environ["LOCAL_WORLD_SIZE"]), help="ranks of a copy of the model")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--batch", type=int, default=8, help="samples in all")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=2)
    options = parser.parse_args()

    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
    if world % options.tensor:
        parser.error(f"{world} ranks are no multiple of --tensor {options.tensor}")

    tensor_group, data_group = make_groups(options.tensor)
    copies, copy = dist.get_world_size(data_group), dist.get_rank(data_group)
    blocks = [Block(options.width, options.heads, 10 * index, tensor_group) for index in range(options.blocks)]
    model = DDP(nn.Sequential(*blocks).to(device), device_ids=[local_rank] if on_gpu else None, process_group=data_group)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    generator = torch.Generator().manual_seed(7)
    times = []
    for step in range(3):
        # The ranks of a tensor group work on the same samples, those of a data group on different ones.
        x = torch.randn(options.batch, options.tokens, options.width, generator=generator).chunk(copies)[copy].to(device)
        started = time.perf_counter()
        loss = nn.functional.mse_loss(model(x), x.roll(1, dims=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach() / copies
        dist.all_reduce(mean, group=data_group)
        value = mean.item()
        times.append(time.perf_counter() - started)
        if rank == 0:
            print(f"step {step}: loss {value:.9g}")
    if rank == 0:
        print(f"{options.tensor} ranks share a copy, {copies} copies: {min(times) * 1e3:.3f} ms a step")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
