"""Lab 5: the gradients of some layers are summed while those of others are computed."""

from ndsim import lab
import numpy as np


def backward(gpu, given, gradients, layer):
    """The backward pass of one layer, which leaves the layer's gradient."""
    gpu.compute(f"backward {layer}", flops=given.backward_flops)
    gradients[layer] = given.factor * (gpu.rank + 1) + layer


def start_sum(gpu, gradients, first, count):
    """Starts the sum over all ranks of `count` layers from `first` on, beside the program. Wait for what it returns."""
    with gpu.on(1) as handle:
        gpu.all_reduce(gradients[first : first + count], algorithm="ring")
    return handle


def backward_pass(gpu, given, gradients):
    # Your lines begin here: from the last layer to the first, compute, and start the sum of a bucket of
    # given.bucket_layers layers as soon as its last gradient is there. Return when all sums have ended.
    # Starter: lab.gap(gpu, "compute the layers, and sum their gradients beside that")
    in_a_bucket = given.bucket_layers
    sums = []
    for layer in reversed(range(given.layers)):
        backward(gpu, given, gradients, layer)
        if layer % in_a_bucket == 0:
            sums.append(start_sum(gpu, gradients, layer, in_a_bucket))
    gpu.wait(*sums)
    # Your lines end here.


def program(gpu, given):
    gradients = np.zeros((given.layers, given.elements))
    gpu.compute("forward", flops=given.forward_flops)
    backward_pass(gpu, given, gradients)
    gpu.compute("update", flops=given.update_flops)
    gpu.report("sums", gradients.sum(axis=1))


lab.run(program)
