"""Lab 1: data parallelism by hand. Runs under torchrun: torchrun --nproc_per_node 4 train.py"""

import json
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def numbers_of_the_case():
    """The given numbers of a case, from the file beside this one."""
    with open(sys.argv[1] if len(sys.argv) > 1 else "case.json") as file:
        return {name: int(number) for name, number in json.load(file)["cases"][0]["given"].items()}


def samples(given):
    """Each sample has its number, its inputs and what they should become."""
    generator = torch.Generator().manual_seed(given["seed"])
    inputs = torch.randn(given["samples"], given["width"], generator=generator)
    return TensorDataset(torch.arange(given["samples"]), inputs, inputs.sum(1, keepdim=True))


stepped = []  # The sums of the gradients, step by step.


def note_gradients(optimizer, _arguments, _named):
    """Notes the sum of the gradients that the optimizer is about to step along."""
    gradients = [parameter.grad for group in optimizer.param_groups for parameter in group["params"]]
    stepped.append(float(sum(gradient.sum() for gradient in gradients if gradient is not None)))


def train(model, data, given, device):
    """Trains the model. Returns the numbers of the samples that this rank has used, in their order."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    optimizer.register_step_pre_hook(note_gradients)
    used = []
    # Your lines begin here: a DistributedSampler(data) gives each rank its own share of the samples, in another order in
    # every epoch, and a DataLoader makes batches of it: `for numbers, inputs, targets in loader`. After each backward
    # pass the gradients of all ranks are averaged with dist.all_reduce, and the optimizer steps.
    # Starter: raise NotImplementedError("write the training loop here")
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=given["batch"], sampler=sampler)
    for epoch in range(given["epochs"]):
        sampler.set_epoch(epoch)
        for numbers, inputs, targets in loader:
            used.extend(numbers.tolist())
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs.to(device)), targets.to(device)).backward()
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
                parameter.grad /= dist.get_world_size()
            optimizer.step()
    # Your lines end here.
    return used


def main():
    given = numbers_of_the_case()
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    torch.manual_seed(0)  # The same weights on every rank.
    width = given["width"]
    model = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)).to(device)
    used = train(model, samples(given), given, device)
    weights = nn.utils.parameters_to_vector(model.parameters()).detach().cpu()
    print(f"rank {dist.get_rank()}: {len(used)} samples, weights {weights.sum().item():.6f} in sum")
    return {"samples": used, "weights": weights, "gradients": stepped}


if __name__ == "__main__":
    results = main()  # What the grader reads.
