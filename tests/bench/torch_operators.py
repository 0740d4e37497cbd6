"""CPU time that a PyTorch operator takes on this computer: alone, simulated, and in a hollow run.

PYTHONPATH=build/python python3 tests/bench/torch_operators.py [ROUNDS [WORKLOAD ...]]

Each kind of run is a process of its own. They take turns of a few milliseconds, so that other load on this computer slows all of them
alike. The output is the best time of plain PyTorch, and the overhead of the other kinds: the median of their ratios times that best time.
Plain PyTorch gets small tensors, whose arithmetic takes next to nothing. The time is the CPU time of the whole process, with its threads.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

WIDTH = 64
SMALL_ROWS, LARGE_ROWS = 1, 16384  # 256 bytes, 4 MiB
TURN_OPERATORS = 1500
SIMULATED = [sys.executable, "-m", "ndsim.torchrun", "--nproc", "1"]
KINDS: dict[str, tuple[list[str], str, int]] = {
    "plain": ([sys.executable], "cpu", SMALL_ROWS),
    "simulated": (SIMULATED, "cuda", SMALL_ROWS),
    "hollow": ([*SIMULATED, "--hollow"], "cuda", SMALL_ROWS),
    "hollow, 4 MB": ([*SIMULATED, "--hollow"], "cuda", LARGE_ROWS),
}


def single_operators(torch: Any, device: str, rows: int) -> dict[str, Callable[[], Any]]:
    nn = torch.nn.functional
    x, y = torch.ones(rows, WIDTH, device=device), torch.ones(rows, WIDTH, device=device)
    weight, bias = torch.ones(WIDTH, WIDTH, device=device), torch.ones(WIDTH, device=device)
    return {
        "add": lambda: x + y,
        "mul_": lambda: x.mul_(y),
        "mm": lambda: x @ weight,
        "linear": lambda: nn.linear(x, weight, bias),
        "layer_norm": lambda: nn.layer_norm(x, (WIDTH,), bias, bias),
        "softmax": lambda: x.softmax(-1),
        "sum": lambda: x.sum(),
        "cat": lambda: torch.cat([x, y]),
        "view": lambda: x.view(-1),
        "empty": lambda: torch.empty_like(x),
        "copy_": lambda: x.copy_(y),
    }


def training_steps(torch: Any, device: str, rows: int) -> dict[str, Callable[[], Any]]:
    """Returns one step each, with forward pass, backward pass and SGD, of an MLP and a transformer block."""
    mlp = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, WIDTH)).to(device)
    block = torch.nn.TransformerEncoderLayer(WIDTH, 2, WIDTH, dropout=0.0, batch_first=True, norm_first=True).to(device)
    x = torch.ones(1, rows, WIDTH, device=device)

    def step_of(model: Any) -> Callable[[], None]:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=False)

        def step() -> None:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()

        return step

    return {"MLP, step": step_of(mlp), "block, step": step_of(block)}


def operators_in(torch: Any, workload: Callable[[], Any]) -> int:
    """Counts the operators that reach a device, including those that return views."""
    modes: Any = __import__("torch.utils._python_dispatch", fromlist=["TorchDispatchMode"])

    class Counting(modes.TorchDispatchMode):  # type: ignore[misc, name-defined]
        count = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            Counting.count += 1
            return func(*args, **(kwargs or {}))

    with Counting():
        workload()
    return Counting.count


def answer_turns(device: str, rows: int, turns: TextIO, answers: TextIO) -> None:
    """Serves as one process: reads a workload and a repeat count, and answers the CPU time; a count of 0 asks for the operators in one
    call."""
    import torch

    torch.set_num_threads(1)
    workloads = training_steps(torch, device, rows)
    single = single_operators(torch, device, rows)
    for line in turns:
        name, count = line.rstrip("\n").split("\t")
        with torch.set_grad_enabled(name in workloads):
            workload = workloads[name] if name in workloads else single[name]
            if count == "0":
                workload()
                answer = operators_in(torch, workload)
            else:
                answer = time_of(torch, workload, int(count), device)
        print(answer, file=answers, flush=True)


def time_of(torch: Any, workload: Callable[[], Any], count: int, device: str) -> int:
    begin = time.process_time_ns()
    for _ in range(count):
        workload()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.process_time_ns() - begin


class Process:
    """A process for one kind of run, which works only in its turns."""

    def __init__(self, kind: str, folder: Path) -> None:
        command, device, rows = KINDS[kind]
        pipes = [str(folder / f"{kind} {end}") for end in ("turns", "answers")]
        for pipe in pipes:
            os.mkfifo(pipe)
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self._log = open(folder / f"{kind} log", "w+", encoding="utf-8")  # noqa: SIM115
        self._process = subprocess.Popen([*command, __file__, "--turns", device, str(rows), *pipes], env=environment, stdout=self._log, stderr=self._log)
        self._turns = open(pipes[0], "w", encoding="utf-8")  # noqa: SIM115
        self._answers = open(pipes[1], encoding="utf-8")  # noqa: SIM115

    def turn(self, workload: str, count: int) -> int:
        print(workload, count, sep="\t", file=self._turns, flush=True)
        answer = self._answers.readline()
        if not answer:
            self._log.seek(0)
            sys.exit(self._log.read())
        return int(answer)

    def end(self) -> None:
        self._turns.close()
        self._process.wait()


def measure(processes: dict[str, Process], workload: str, rounds: int) -> str:
    operators = processes["plain"].turn(workload, 0)
    count = max(1, TURN_OPERATORS // operators)
    for process in processes.values():
        process.turn(workload, count)  # warm-up: fills the caches of shapes and prices
    times = [{kind: process.turn(workload, count) for kind, process in processes.items()} for _ in range(rounds)]
    best = min(each["plain"] for each in times) / (count * operators * 1e3)
    beyond = [best * (statistics.median(each[kind] / each["plain"] for each in times) - 1) for kind in processes if kind != "plain"]
    return f"{workload:12} {operators:9} {best:9.2f} " + " ".join(f"{each:13.2f}" for each in beyond)


def main(arguments: list[str]) -> None:
    rounds = int(arguments[0]) if arguments else 40
    workloads = arguments[1:] or ["add", "mul_", "mm", "linear", "layer_norm", "softmax", "sum", "cat", "view", "empty", "copy_", "MLP, step", "block, step"]
    with tempfile.TemporaryDirectory() as folder:
        processes = {kind: Process(kind, Path(folder)) for kind in KINDS}
        print("us of an operator: plain, and beyond it")
        print(f"{'workload':12} {'operators':>9} {'plain':>9} " + " ".join(f"{kind:>13}" for kind in KINDS if kind != "plain"))
        for workload in workloads:
            print(measure(processes, workload, rounds), flush=True)
        for process in processes.values():
            process.end()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--turns"]:
        with open(sys.argv[4], encoding="utf-8") as given, open(sys.argv[5], "w", encoding="utf-8") as told:
            answer_turns(sys.argv[2], int(sys.argv[3]), given, told)
    else:
        main(sys.argv[1:])
