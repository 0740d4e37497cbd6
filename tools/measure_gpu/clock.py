"""Times calls on the current GPU with CUDA events.

A call is timed many times in a row, after calls that keep the GPU busy until the host is ahead, so that its launches do not count.
Calls whose inputs fit into the cache are given as several, each with its own buffers.
"""

import sys
import time
from statistics import median

import torch

CACHE = 160 << 20  # bytes: three times the second-level cache of the largest GPUs
SIMULATED = "ndsim" in sys.modules
ROUND = 3e-3  # seconds of one round, if its calls are short
MOST_CALLS = 20
flushed = None


def copies(of_bytes):
    """Returns how many sets of buffers of this size overflow the cache."""
    return max(1, min(24, CACHE // max(int(of_bytes), 1) + 1))


def keep_busy(seconds):
    """Keeps the GPU busy for about as long, and empties its cache."""
    global flushed
    if flushed is None:
        flushed = torch.empty(1 << 29, dtype=torch.int8, device="cuda")
    for _ in range(int(seconds / 150e-6) + 1):
        flushed.zero_()


def elapsed(calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    # Results stay, so that each is new memory, and nothing may leave out to write it.
    results = [call() for call in calls]
    end.record()
    torch.cuda.synchronize()
    del results
    return begin.elapsed_time(end) / 1e3


def host_and_total(calls):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for call in calls:
        call()
    host = time.perf_counter() - begin
    torch.cuda.synchronize()
    return host, time.perf_counter() - begin


def seconds_of(calls, rounds=12):
    """The median seconds of a call, over rounds that go round all calls."""
    for call in calls[:2]:
        call()
    host, total = host_and_total(calls)
    each = max(total / len(calls), 1e-6)
    count = max(1, min(MOST_CALLS, int(ROUND / each)))
    rounds = max(3, min(rounds, int(0.4 / (each * count))))
    chosen = [calls[i % len(calls)] for i in range(count)]
    times = []
    for _ in range(rounds):
        keep_busy(1.3 * host / len(calls) * count + 100e-6)
        times.append(elapsed(chosen) / count)
    return median(times)


def sustained_seconds_of(calls, seconds=0.5):
    """The seconds of a call after the GPU has repeated it for as long: at the clock that its power allows."""
    each = seconds_of(calls)
    if not SIMULATED:
        for _ in range(int(seconds / each / len(calls))):
            for call in calls:
                call()
    count = max(1, int(0.1 / each / len(calls)))
    return elapsed(without_results(calls) * count) / (len(calls) * count)


def without_results(calls):
    def quiet(call):
        def called():
            call()

        return called

    return [quiet(call) for call in calls]
