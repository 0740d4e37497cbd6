"""Lab 6: tensor parallelism, as pairs of a column-parallel and a row-parallel layer."""

from ndsim import lab
import numpy as np


def product(gpu, a, b):
    """a b, which takes 2 m n k floating-point operations."""
    gpu.compute("product", flops=2 * a.shape[0] * a.shape[1] * b.shape[1])
    return a @ b


class Pair:
    """This rank's part of a pair of layers, y = relu(x A) B: some columns of A, and the same rows of B."""

    def __init__(self, gpu, given, number):
        own = given.hidden // gpu.world_size
        inner = gpu.rank * own + np.arange(own)
        outer = np.arange(given.width)
        self.columns_of_a = weight(number, outer[:, None], inner, given.factor)
        self.rows_of_b = weight(number + 1, inner[:, None], outer, given.factor)
        self.input = None  # set forward, for the way back
        self.hidden = None  # relu(x A), this rank's columns of it
        self.gradient_of_a = None
        self.gradient_of_b = None


def weight(pair, row, column, factor):
    return (3 * row + 5 * column + row * column + 2 * pair + factor) % 5 - 2.0


def train(gpu, pairs, x):
    """Returns the output of the last pair and the gradient of the input of the first one, whole, on every rank."""
    # Your lines begin here: all pairs forward, then all pairs backward. The loss is half the sum of the squared output, so
    # its gradient is the output. gpu.all_reduce(m) sums an array over ranks, in place.
    # Starter: lab.gap(gpu, "write both passes here")
    for pair in pairs:
        pair.input = x
        pair.hidden = np.maximum(product(gpu, x, pair.columns_of_a), 0)
        x = product(gpu, pair.hidden, pair.rows_of_b)
        gpu.all_reduce(x)
    gradient = x
    for pair in reversed(pairs):
        pair.gradient_of_b = product(gpu, pair.hidden.T, gradient)
        of_hidden = product(gpu, gradient, pair.rows_of_b.T) * (pair.hidden > 0)
        pair.gradient_of_a = product(gpu, pair.input.T, of_hidden)
        gradient = product(gpu, of_hidden, pair.columns_of_a.T)
        gpu.all_reduce(gradient)
    # Your lines end here.
    return x, gradient


def program(gpu, given):
    pairs = [Pair(gpu, given, number) for number in range(2 * given.layers)]
    x = (2 * np.arange(given.batch)[:, None] + 3 * np.arange(given.width)) % 4 - 1.0
    output, gradient = train(gpu, pairs, x)
    gpu.report("output", output.ravel())
    gpu.report("gradient of the input", gradient.ravel())
    gpu.report("gradient of A", pairs[0].gradient_of_a.ravel())
    gpu.report("gradient of B", pairs[0].gradient_of_b.ravel())


lab.run(program)
