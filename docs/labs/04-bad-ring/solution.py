"""Lab 4: the bad ring, against the good one."""

from ndsim import lab
import numpy as np


def good_ring(gpu, gradient):
    """The ring of lab 2, in chunks, as the library has it. Returns the seconds that it took."""
    begin = gpu.now()
    gpu.all_reduce(gradient, algorithm="ring")
    return gpu.now() - begin


def bad_ring(gpu, given, gradient):
    """The same in whole gradients. Returns the seconds that it took."""
    ranks = gpu.world_size
    right, left = (gpu.rank + 1) % ranks, (gpu.rank - 1) % ranks
    # Your lines begin here: N - 1 times, send a whole gradient to the right, receive one from the left, and add it up.
    # Report as "break_even" at how many bytes both rings take as long, and return how long this one took.
    # Starter: lab.gap(gpu, "write the bad ring, and take its time")
    latency_bytes = given.latency_seconds * given.bytes_per_second
    gpu.report("break_even", latency_bytes * ranks / (ranks - 2))
    begin = gpu.now()
    passing = gradient.copy()
    for step in range(ranks - 1):
        gpu.send(right, passing, label="whole gradient")
        gpu.receive(left, passing, label="whole gradient")
        gradient += passing
    return gpu.now() - begin
    # Your lines end here.


def program(gpu, given):
    for size in ("small", "large"):
        gradient = given.factor * (gpu.rank + 1) + np.arange(given[f"{size}_elements"], dtype=float)
        gpu.report(f"{size}_good_seconds", good_ring(gpu, gradient.copy()))
        gpu.report(f"{size}_bad_seconds", bad_ring(gpu, given, gradient))
        gpu.report(f"{size}_sum", [gradient[0], gradient[-1], gradient.sum()])


lab.run(program)
