"""Trains a GPT or a Llama, as large as asked for, on random tokens: FSDP or DDP, bf16, recomputation, accumulation.

    torchrun --nproc_per_node 8 train_llm.py --arch llama --layers 32 --hidden 4096 --ffn 14336 --heads 32 --kv-heads 8 \\
        --vocab 128256 --sequence 8192 --micro-batch 2 --recompute selective --precision bf16

tools/torch_accuracy.py runs it with the sizes of published runs. The model is in llm.py.
"""

import argparse
import contextlib
import functools
import inspect
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from llm import Model, Shape


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", choices=["gpt", "llama"], default="gpt")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--ffn", type=int, help="columns within an MLP (4 times --hidden)")
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--kv-heads", type=int, help="heads of keys and values (--heads)")
    parser.add_argument("--vocab", type=int, default=256)
    parser.add_argument("--sequence", type=int, default=32)
    parser.add_argument("--bias", action="store_true", help="linear layers have one")
    parser.add_argument("--tied", action="store_true", help="the output's weights are the embedding's")
    parser.add_argument("--attention", choices=["flash", "plain"], default="flash")
    parser.add_argument("--micro-batch", type=int, default=2, help="sequences that a rank has in memory at a time")
    parser.add_argument("--global-batch", type=int, help="sequences of a step, on all ranks (one micro-batch for each)")
    parser.add_argument("--parallel", choices=["fsdp", "ddp"], default="fsdp")
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--reduce", choices=["fp32", "bf16"], default="fp32", help="gradients, as FSDP adds them up")
    parser.add_argument("--logits", choices=["fp32", "bf16"], default="fp32", help="what the loss is computed of")
    parser.add_argument("--loss", choices=["torch", "flash"], default="torch", help="whose cross entropy: PyTorch's, or flash_attn's in one kernel")
    parser.add_argument("--recompute", choices=["none", "selective", "full"], default="none")
    parser.add_argument("--compile", action="store_true", help="torch.compile for every block and the loss")
    parser.add_argument("--clip", type=float, help="norm that gradients are clipped to")
    parser.add_argument("--metrics", type=int, default=0, help="so many metrics of the logits, kept over all ranks beside the loss")
    parser.add_argument("--optimizer", choices=["fewest", "loop"], default="fewest", help="AdamW: few kernels, or one tensor at a time")
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    options.ffn = options.ffn or 4 * options.hidden
    options.kv_heads = options.kv_heads or options.heads
    return parser, options


def wrapper(options, local_rank):
    """Wraps a block, or the model around the blocks, by FSDP: a unit whose weights are gathered together."""
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision

    types = {"fp32": torch.float32, "bf16": torch.bfloat16}
    mixed = None
    if options.precision == "bf16":
        mixed = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=types[options.reduce])
    return functools.partial(FullyShardedDataParallel, mixed_precision=mixed, device_id=local_rank)


def make_model(options, device):
    """The model as all ranks train it together. FSDP takes each block as it is made, so that no rank ever holds them all."""
    fsdp = wrapper(options, device.index) if options.parallel == "fsdp" else None

    def finish_block(block):
        block = block.to(device)
        if options.compile:
            block = torch.compile(block)
        return fsdp(block) if fsdp else block

    torch.manual_seed(0)
    shape = Shape(**{name: getattr(options, name) for name in Shape.__dataclass_fields__})
    model = Model(shape, finish_block).to(device)
    if fsdp:
        return fsdp(model)
    return DDP(model, device_ids=[device.index] if device.type == "cuda" else None, gradient_as_bucket_view=True)


def make_optimizer(model, options):
    """AdamW in as few kernels as this PyTorch can, or tensor by tensor, which needs less memory."""
    known = inspect.signature(torch.optim.AdamW).parameters
    fewest = {"fused": True} if "fused" in known and torch.cuda.is_available() else {"foreach": True}
    how = fewest if options.optimizer == "fewest" else {"foreach": False}
    return torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1, **how)


def clip(model, options):
    if options.clip is None:
        return
    if options.parallel == "fsdp":
        model.clip_grad_norm_(options.clip)
    else:
        nn.utils.clip_grad_norm_(model.parameters(), options.clip)


class Metric:
    """A mean over all tokens of a step, as a trainer keeps it: it computes a cross entropy of its own, in float32, of each micro-batch."""

    def __init__(self, device):
        self.total = torch.zeros((), device=device)
        self.tokens = torch.zeros((), dtype=torch.int64, device=device)

    def add(self, logits, targets):
        self.total += nn.functional.cross_entropy(logits.float(), targets, reduction="sum")
        self.tokens += (targets >= 0).sum()

    def mean(self):
        """Over all ranks, which meet for each of its sums."""
        return over_ranks(self.total) / over_ranks(self.tokens)


def loss_of(logits, targets, options):
    """The mean loss, with the logits and targets that it is of."""
    if options.logits == "fp32":
        logits = logits.float()
    logits, targets = logits.flatten(0, 1), targets.flatten()
    return cross_entropy(options)(logits, targets), logits, targets


def cross_entropy(options):
    if options.loss == "torch":
        return nn.functional.cross_entropy
    from flash_attn.losses.cross_entropy import CrossEntropyLoss

    return CrossEntropyLoss()


def over_ranks(value):
    dist.barrier()
    values = [torch.empty_like(value) for _ in range(dist.get_world_size())]
    dist.all_gather(values, value)
    return torch.stack(values).sum(0)


def step(model, optimizer, batches, metrics, options, device):
    """A step over these micro-batches. Returns the mean loss of this rank's."""
    total = torch.zeros(1, device=device)
    # FSDP hands its bf16 weights to the operators; under DDP autocast makes them.
    cast = options.precision == "bf16" and options.parallel == "ddp"
    for index, tokens in enumerate(batches):
        last = index == len(batches) - 1
        waits = options.parallel == "ddp" and not last
        with model.no_sync() if waits else contextlib.nullcontext():
            with torch.autocast(device.type, torch.bfloat16) if cast else contextlib.nullcontext():
                logits = model(tokens[:, :-1])
            # Under autocast the loss would be of fp32 logits in any case.
            loss, logits, targets = (torch.compile(loss_of) if options.compile else loss_of)(logits, tokens[:, 1:], options)
            loss = loss / len(batches)
            loss.backward()
        total += loss.detach()
        with torch.no_grad():
            for metric in metrics:
                metric.add(logits, targets)
    clip(model, options)
    optimizer.step()
    # Under DDP gradients stay where they are, in its buckets: micro-batches without a sum would take memory for others beside them.
    optimizer.zero_grad(set_to_none=options.parallel == "fsdp")
    return total


def main():
    parser, options = read_options()
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, world, local_rank = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    if on_gpu:
        torch.cuda.set_device(local_rank)
    elif options.parallel == "fsdp":
        options.parallel = "ddp"
        if rank == 0:
            print("no CUDA: trained under DDP")
    device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
    batch = options.global_batch or world * options.micro_batch
    if batch % (world * options.micro_batch):
        parser.error(f"--global-batch {batch} is no multiple of {world} ranks x --micro-batch {options.micro_batch}")
    micro_batches = batch // world // options.micro_batch

    model = make_model(options, device)
    optimizer = make_optimizer(model, options)
    generator = torch.Generator().manual_seed(1 + rank)
    for index in range(options.steps):
        size = (micro_batches, options.micro_batch, options.sequence + 1)
        tokens = torch.randint(options.vocab, size, generator=generator).to(device)
        started = time.perf_counter()
        metrics = [Metric(device) for _ in range(options.metrics)]
        loss = step(model, optimizer, tokens.unbind(0), metrics, options, device)
        dist.all_reduce(loss)
        value = loss.item() / world
        means = [metric.mean().item() for metric in metrics]
        seconds = time.perf_counter() - started
        if rank == 0:
            print(f"step {index}: loss {value:.9g}", *(f"metric {mean:.9g}" for mean in means))
            print(f"step {index}: {seconds:.6f} s, {batch * options.sequence / world / seconds:.0f} tokens/s on a GPU")
    if rank == 0 and on_gpu:
        print(f"peak memory of rank 0: {torch.cuda.max_memory_allocated() / 2**30:.2f} GiB allocated, "
              f"{torch.cuda.max_memory_reserved() / 2**30:.2f} GiB reserved")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
