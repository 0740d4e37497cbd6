"""Lab 16: strong scaling of a DDP step. Runs under torchrun: torchrun --nproc_per_node 4 train.py"""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def numbers_of_the_case():
    """The given numbers of a case, from the file beside this one."""
    with open(sys.argv[1] if len(sys.argv) > 1 else "case.json") as file:
        return {name: int(number) for name, number in json.load(file)["cases"][0]["given"].items()}


class Trainer:
    """A model of its own on each of the first ranks, which train it together."""

    def __init__(self, given, device, group):
        torch.manual_seed(0)
        layers = [nn.Linear(given["width"], given["width"]) for _ in range(given["layers"])]
        model = nn.Sequential(*layers).to(device)
        self.model = DDP(model, device_ids=[device.index] if device.type == "cuda" else None, process_group=group)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def step(self, inputs):
        loss = (self.model(inputs) - inputs).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def wait_for(device):
    """The host waits until the GPU has done all it was handed."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def measure(given, device):
    """On the first 1, 2, 4, … ranks: the seconds of a step, the speedup over one rank, and the efficiency."""
    seconds, speedup, efficiency = [], [], []
    ranks = 1
    while ranks <= dist.get_world_size():
        group = dist.new_group(list(range(ranks)))
        if dist.get_rank() < ranks:
            trainer = Trainer(given, device, group)
            # Your lines begin here: the ranks share a batch of given["batch"] samples (strong scaling). One step, which
            # sets things up, is not measured; the mean of given["steps"] steps after it is. The host runs ahead of its
            # GPU: wait_for(device) before you look at time.perf_counter(). Append to the three lists.
            # Starter: raise NotImplementedError("measure the step here")
            inputs = torch.ones(given["batch"] // ranks, given["width"], device=device)
            trainer.step(inputs)
            wait_for(device)
            begin = time.perf_counter()
            for _ in range(given["steps"]):
                trainer.step(inputs)
            wait_for(device)
            seconds.append((time.perf_counter() - begin) / given["steps"])
            speedup.append(seconds[0] / seconds[-1])
            efficiency.append(speedup[-1] / ranks)
            # Your lines end here.
        dist.barrier()
        ranks *= 2
    return {"seconds": seconds, "speedup": speedup, "efficiency": efficiency}


def main():
    given = numbers_of_the_case()
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    measured = measure(given, device)
    if dist.get_rank() > 0:
        return {}  # Only the first rank has measured all of them.
    for row in zip(*measured.values()):
        print("{:.6f} s a step, speedup {:.3f}, efficiency {:.1%}".format(*row))
    return measured


if __name__ == "__main__":
    results = main()  # What the grader reads.
