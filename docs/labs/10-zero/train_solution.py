"""Lab 10: ZeRO-3 is PyTorch's FSDP. Runs under torchrun: torchrun --nproc_per_node 4 train.py"""

import functools
import json
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def numbers_of_the_case():
    """The given numbers of a case, from the file beside this one."""
    with open(sys.argv[1] if len(sys.argv) > 1 else "case.json") as file:
        return {name: int(number) for name, number in json.load(file)["cases"][0]["given"].items()}


def train(model, batches, device):
    """Trains the sharded model with AdamW. Returns the loss of each batch, and the optimizer."""
    losses = []
    # Your lines begin here: FSDP(model, …) with FULL_SHARD, a unit for each Block (auto_wrap_policy), device_id=device on
    # GPUs. Then AdamW(lr=1e-3) of what this rank keeps, and a step for each batch: the loss is the mean of the squared
    # difference to the inputs. Gradients are set to None after the step.
    # Starter: raise NotImplementedError("shard and train the model here")
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    model = FSDP(model, auto_wrap_policy=policy, sharding_strategy=ShardingStrategy.FULL_SHARD, device_id=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs in batches:
        loss = (model(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    # Your lines end here.
    return losses, optimizer


def main():
    given = numbers_of_the_case()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    model = nn.Sequential(*[Block(given["width"]) for _ in range(given["blocks"])])
    generator = torch.Generator().manual_seed(given["seed"])
    shape = (given["steps"], dist.get_world_size(), given["batch"], given["width"])
    batches = torch.randn(shape, generator=generator)[:, dist.get_rank()].to(device)
    losses, _optimizer = train(model, batches, device)
    held = torch.cuda.memory_allocated()
    print(f"rank {dist.get_rank()}: losses {losses[0]:.6f} to {losses[-1]:.6f}, {held:,} bytes held")
    return {"losses": losses, "held": held}


if __name__ == "__main__":
    results = main()  # What the grader reads.
