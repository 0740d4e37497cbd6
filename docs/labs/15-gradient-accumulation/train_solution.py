"""Lab 15: gradient accumulation under DDP. Runs under torchrun: torchrun --nproc_per_node 4 train.py"""

import contextlib
import json
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def numbers_of_the_case():
    """The given numbers of a case, from the file beside this one."""
    with open(sys.argv[1] if len(sys.argv) > 1 else "case.json") as file:
        return {name: int(number) for name, number in json.load(file)["cases"][0]["given"].items()}


def micro_batches_of(given, generator, device):
    """This rank's samples of one step, in parts that fit into memory."""
    shape = (dist.get_world_size(), given["micro_batches"], given["batch"], given["width"])
    return torch.randn(shape, generator=generator)[dist.get_rank()].to(device)


def loss_of(model, inputs):
    """The mean over the samples of a micro-batch."""
    return (model(inputs) - inputs).square().mean()


def train_step(model, optimizer, micro_batches):
    """One step of the optimizer, with the gradient of the mean over all samples of all ranks."""
    # Your lines begin here: forward and backward of one micro-batch after the other, so that the activations of one are
    # in memory at a time. Gradients add up in .grad; all but the last micro-batch's stay on their rank: model.no_sync()
    # is a context in which DDP communicates nothing. Then the optimizer steps, once.
    # Starter: raise NotImplementedError("write the accumulated step here")
    optimizer.zero_grad()
    for index, inputs in enumerate(micro_batches):
        last = index == len(micro_batches) - 1
        with contextlib.nullcontext() if last else model.no_sync():
            loss = loss_of(model, inputs) / len(micro_batches)
            loss.backward()
    optimizer.step()
    # Your lines end here.


def main():
    given = numbers_of_the_case()
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    torch.manual_seed(0)
    width = given["width"]
    model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))
    model = DDP(model.to(device), device_ids=[device.index] if on_gpu else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator().manual_seed(given["seed"])
    for _ in range(given["steps"]):
        train_step(model, optimizer, micro_batches_of(given, generator, device))
    weights = nn.utils.parameters_to_vector(model.parameters()).detach().cpu()
    print(f"rank {dist.get_rank()}: weights {weights.sum().item():.6f} in sum")
    return {"weights": weights[::17]}


if __name__ == "__main__":
    results = main()  # What the grader reads.
