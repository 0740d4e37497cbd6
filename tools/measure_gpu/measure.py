"""Measures a GPU with PyTorch: kernels alone, whole training steps with their memory, and the host.

    python3 tools/measure_gpu/measure.py --out measured             # about seven minutes on an idle GPU
    python3 tools/measure_gpu/measure.py --out kernels --parts gemm,simple,attention

Writes each row at once: FOLDER/times.csv has the rows of single kernels, FOLDER/steps.csv those of steps, and FOLDER/kernels.csv
those that `ndsim calibrate --benchmark` reads. On a simulated GPU, it does the same with the simulated times:

    python3 -m ndsim.torchrun --nproc 1 --hollow --machine dgx-h100 tools/measure_gpu/measure.py --out predicted

compare.py beside it compares the two.
"""

import argparse
import csv
import gc
import json
import pathlib
import sys
import time

import torch

import attention
import clock
import experts
import host
import products
import scans
import steps
import traffic

PARTS = {
    "gemm": products.gemm,
    "scaled": products.scaled_mm,
    "attention": attention.attention,
    "experts": experts.grouped_mm,
    "moves": experts.moves,
    "eager": traffic.eager,
    "sides": products.sides,
    "sustained": products.sustained,
    "casts": products.casts,
    "scans": scans.scans,
    "compiled": traffic.compiled,
}
OF_KERNEL = "kind precision m n k bytes sequences heads head_dim tokens".split()
TIMES = ["part", "family", "case", *OF_KERNEL, "seconds"]
STEPS = "run seconds host_seconds held allocated reserved".split()


class Table:
    """A file that has each row as soon as it is known."""

    def __init__(self, path, columns):
        self.columns = columns
        self.file = open(path, "a", newline="")
        self.writer = csv.DictWriter(self.file, columns, restval="", extrasaction="ignore", lineterminator="\n")
        if self.file.tell() == 0:
            self.writer.writeheader()

    def add(self, row):
        self.writer.writerow(row)
        self.file.flush()


def cleared():
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()


def forgotten():
    """Lets the next part compile as many variants as this one."""
    if not clock.SIMULATED:
        torch._dynamo.reset()


def timed(case, rounds, profiled):
    """The row of a case, or none if this GPU or this PyTorch cannot run it."""
    try:
        calls = case.make()
        seconds = clock.sustained_seconds_of(calls) if case.sustained else clock.seconds_of(calls, rounds)
        if profiled:
            with open(profiled, "a") as file:
                print(json.dumps({"family": case.family, "case": case.name, "kernels": kernels_of(calls[0])}), file=file)
        return {"family": case.family, "case": case.name, **case.sizes, "seconds": f"{seconds:.6e}"}
    except (ImportError, RuntimeError, AttributeError, TypeError, NotImplementedError) as error:
        print(f"left out: {case.family}, {case.name}: {str(error).splitlines()[0][:150]}", file=sys.stderr, flush=True)
        return None


def kernels_of(step):
    """Seconds and count of each kernel of a step, and of each operator, the longest first."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as profiler:
        step()
        torch.cuda.synchronize()
    found = {}
    for event in profiler.events():
        for kernel in event.kernels:
            sums = found.setdefault((event.name, kernel.name[:120]), [0, 0])
            sums[0] += kernel.duration / 1e6
            sums[1] += 1
    longest = sorted(found.items(), key=lambda item: -item[1][0])[:100]
    return [[operator, kernel, round(seconds, 7), count] for (operator, kernel), (seconds, count) in longest]


def measure_parts(folder, names, options, until):
    times, kernels = Table(folder / "times.csv", TIMES), Table(folder / "kernels.csv", [*OF_KERNEL, "seconds"])
    for name in names:
        begin = time.time()
        for at, case in enumerate(PARTS[name]()):
            if time.time() > min(until, begin + options.part_seconds):
                print(f"{name}: out of time at case {at}", flush=True)
                break
            if options.every > 1 and at % options.every:
                continue
            if row := timed(case, options.rounds, options.profile and folder / "cases.jsonl"):
                times.add({"part": name, **row})
                if row.get("kind") and not case.sustained:
                    kernels.add(row)
            if at % 16 == 0:
                cleared()
        cleared()
        forgotten()
        print(f"{name}: {time.time() - begin:.1f} s", flush=True)


def measure_host(folder):
    times = Table(folder / "times.csv", TIMES)
    for case, seconds in host.rows():
        times.add({"part": "host", "family": case.partition(",")[0], "case": case, "seconds": f"{seconds:.6e}"})
    cleared()


def measure_steps(folder, chosen, profiled, until):
    table = Table(folder / "steps.csv", STEPS)
    clock.flushed = None
    cleared()
    for name, run in steps.RUNS.items():
        if time.time() > until or (chosen and chosen not in name):
            continue
        begin, step = time.time(), None
        try:
            row, step = steps.measure(run, *((2, 2) if clock.SIMULATED else (3, 10)))
            table.add({"run": name, **{key: f"{value:.6e}" if "seconds" in key else value for key, value in row.items()}})
            if profiled:
                with open(folder / "steps.jsonl", "a") as file:
                    print(json.dumps({"run": name, "kernels": kernels_of(step)}), file=file)
        except Exception as error:
            print(f"left out: {name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr, flush=True)
        step = None
        cleared()
        forgotten()
        print(f"{name}: {time.time() - begin:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--parts", default=",".join(("host", *PARTS, "steps")))
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after as long")
    parser.add_argument("--part-seconds", type=float, default=1e9, help="the most for one part of kernels")
    parser.add_argument("--rounds", type=int, default=1 if clock.SIMULATED else 12)
    parser.add_argument("--every", type=int, default=1, help="only every so many cases of a part")
    parser.add_argument("--run", default="", help="only steps with this in their name")
    parser.add_argument("--profile", action="store_true", help="also the kernels of each step: steps.jsonl")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    until = time.time() + options.seconds
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "CUDA", torch.version.cuda, flush=True)
    for name in options.parts.split(","):
        if name == "host":
            measure_host(options.out)
        elif name == "steps":
            measure_steps(options.out, options.run, options.profile, until)
        else:
            measure_parts(options.out, [name], options, until)


if __name__ == "__main__":
    main()
