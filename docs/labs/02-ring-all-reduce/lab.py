"""Lab 2: a ring all-reduce, made of sends and receives."""

from ndsim import lab
import numpy as np


def chunk_of(gradient, index, ranks):
    """The gradient is cut into as many chunks as there are ranks."""
    length = len(gradient) // ranks
    first = index % ranks * length
    return gradient[first : first + length]


def all_reduce(gpu, gradient):
    # Your lines begin here: N - 1 steps that add partial sums up, and N - 1 that pass whole sums on. In each of them a
    # rank sends one chunk to its right neighbour and receives one from its left.
    lab.gap(gpu, "write the ring all-reduce here")
    # Your lines end here.


def program(gpu, given):
    gradient = given.factor * (gpu.rank + 1) + np.arange(given.elements, dtype=float)
    all_reduce(gpu, gradient)
    gpu.report("gradient", gradient)


lab.run(program)
