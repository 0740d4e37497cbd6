"""Trains one small network in several ways, on GPUs or (with --cpu) on the host, and prints the losses of each."""

import argparse
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

WIDTH, HIDDEN, BATCH, STEPS = 32, 64, 8, 3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, HIDDEN)
        self.down = nn.Linear(HIDDEN, WIDTH)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def network(device):
    torch.manual_seed(0)
    return nn.Sequential(*[Block() for _ in range(3)], nn.Linear(WIDTH, 1)).to(device)


def batch(step, rank, device):
    generator = torch.Generator().manual_seed(100 * step + rank)
    return torch.randn(BATCH, WIDTH, generator=generator).to(device)


def train(name, model, optimizer, rank, device, clip=False):
    for step in range(STEPS):
        loss = (model(batch(step, rank, device)) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if rank == 0:
            print(f"{name} {step} {mean.item() / dist.get_world_size():.9f}", flush=True)


def sharded(device, **settings):
    # A CUDA build of PyTorch would select a GPU by itself, even if there is none.
    settings["mesh"] = init_device_mesh(device.type, (dist.get_world_size(),))
    model = network(device)
    for block in model:
        fully_shard(block, **settings)
    return fully_shard(model, **settings)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    on_host = parser.parse_args().cpu
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    device = torch.device("cpu") if on_host else torch.device("cuda", local)
    torch.set_num_threads(1)
    if not on_host:
        torch.cuda.set_device(local)
    dist.init_process_group("gloo" if on_host else "nccl")

    model = DistributedDataParallel(network(device))
    train("ddp", model, torch.optim.AdamW(model.parameters(), lr=1e-2), rank, device)
    model = DistributedDataParallel(network(device), gradient_as_bucket_view=True)
    train("ddp-clipped", model, torch.optim.SGD(model.parameters(), lr=1e-1, momentum=0.9), rank, device, clip=True)
    model = DistributedDataParallel(network(device))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=1e-2)
    train("zero", model, optimizer, rank, device)
    model = sharded(device)
    train("fsdp2", model, torch.optim.AdamW(model.parameters(), lr=1e-2), rank, device)
    model = sharded(device, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    train("fsdp2-bf16", model, torch.optim.AdamW(model.parameters(), lr=1e-2), rank, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
    if "--cpu" in sys.argv:
        # A thread of PyTorch's own sometimes aborts a process that ends while the thread still runs.
        sys.stdout.flush()
        os._exit(0)
