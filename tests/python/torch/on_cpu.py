"""Runs a script that asks for CUDA on this machine's CPU, in real processes under the real gloo: what losses should be.

    python3 on_cpu.py --gpus 2 script.py [its arguments]                 the script starts its ranks itself
    python3 on_cpu.py --gpus 2 --ranks 2 script.py [its arguments]       as torchrun starts it

A GPU is the CPU, NCCL is gloo, and FSDP, which wants CUDA, is DDP: it trains the same model.
"""

import argparse
import contextlib
import dataclasses
import functools
import importlib
import os
import runpy
import sys
import tempfile

import gloo
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def is_gpu(place):
    return (isinstance(place, int) and not isinstance(place, bool)) or (
        isinstance(place, (str, torch.device)) and torch.device(place).type == "cuda"
    )


def on_cpu(real):
    """A function of PyTorch with places among its arguments, that finds the CPU there."""

    @functools.wraps(real)
    def run(self, *args, **options):
        args = ["cpu" if is_gpu(each) else each for each in args]
        if is_gpu(options.get("device")):
            options["device"] = "cpu"
        return real(self, *args, **options)

    return run


class Event:
    def __init__(self, enable_timing=False):
        pass

    def record(self):
        pass

    synchronize = record

    def elapsed_time(self, other):
        return 0.0


class FSDP(DistributedDataParallel):
    """The same training, with everything on every rank."""

    def __init__(self, module, **options):
        super().__init__(module)

    @staticmethod
    def state_dict_type(module, kind, config=None):
        return contextlib.nullcontext()

    def clip_grad_norm_(self, norm):
        return torch.nn.utils.clip_grad_norm_(self.parameters(), norm)


def import_fsdp():
    """FSDP of PyTorch 1.13 has a default that Python 3.11 refuses: a dataclass without a hash."""
    read = dataclasses._get_field

    def with_hash(cls, name, kind, *rest):
        default = getattr(cls, name, None)
        default = type(default.default if isinstance(default, dataclasses.Field) else default)
        if default.__module__.startswith("torch.") and default.__hash__ is None:
            default.__hash__ = object.__hash__
        return read(cls, name, kind, *rest)

    dataclasses._get_field = with_hash
    module = importlib.import_module("torch.distributed.fsdp")
    dataclasses._get_field = read
    return module


def be_cpu(gpus):
    for name, answer in (("is_available", True), ("device_count", gpus), ("current_device", 0), ("is_bf16_supported", True)):
        setattr(torch.cuda, name, lambda answer=answer: answer)
    for name in ("set_device", "synchronize", "empty_cache", "manual_seed"):
        setattr(torch.cuda, name, lambda *_: None)
    for name in ("memory_allocated", "memory_reserved"):
        setattr(torch.cuda, name, lambda *_: 1)
    torch.cuda.Event = Event
    for kind in (torch.Tensor, torch.nn.Module):
        kind.to = on_cpu(kind.to)
        kind.cuda = lambda self, *_, **__: self
    torch.Tensor.pin_memory = lambda self, *_: self
    really_load = torch.load
    torch.load = lambda file, map_location=None: really_load(file, map_location="cpu")
    really_begin = dist.init_process_group
    meeting = []

    def begin(backend=None, **options):
        if meeting:
            options["store"] = dist.FileStore(meeting[0], options["world_size"])
        really_begin("gloo", **options)

    dist.init_process_group = begin
    torch.distributed.distributed_c10d.init_process_group = dist.init_process_group
    really_wrap = DistributedDataParallel.__init__

    def wrap(self, module, device_ids=None, output_device=None, **options):
        really_wrap(self, module, **options)

    DistributedDataParallel.__init__ = wrap
    import_fsdp().FullyShardedDataParallel = FSDP

    def life(rank, run, args, ranks):
        gloo.keep_groups()
        run(rank, *args)
        gloo.leave_together(dist.FileStore(meeting[0], ranks), ranks)

    def spawn(run, args=(), nprocs=1, **options):
        # A file of its own for each, and no port that has to be free.
        with tempfile.TemporaryDirectory() as folder:
            meeting[:] = [os.path.join(folder, "meeting")]
            mp.start_processes(life, (run, args, nprocs), nprocs, **options, start_method="fork")

    mp.spawn = spawn


def main(arguments):
    parser = argparse.ArgumentParser(prog="on_cpu.py", description=__doc__.splitlines()[0])
    parser.add_argument("--gpus", type=int, required=True)
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    be_cpu(options.gpus)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    if options.ranks:
        return gloo.main(["--nproc-per-node", str(options.ranks), options.script, *options.arguments])
    sys.argv = [options.script, *options.arguments]
    runpy.run_path(options.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
