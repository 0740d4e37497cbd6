"""Lab 8: a pipeline whose stages alternate: one forward pass, one backward pass (1F1B)."""

import ndsim
from ndsim import lab
import numpy as np


class Stage:
    """One stage of the model multiplies by its weight. It keeps what comes in until the backward pass."""

    def __init__(self, gpu, given):
        self.gpu, self.given = gpu, given
        self.is_first, self.is_last = gpu.rank == 0, gpu.rank == gpu.world_size - 1
        self.weight = 1.0 + gpu.rank % 3
        self.weight_gradient = 0.0
        self.inputs, self.outputs = {}, {}

    def forward(self, micro_batch):
        """A whole forward pass: receives, computes, and sends on."""
        x = self.batch(micro_batch) if self.is_first else self.gpu.receive(self.gpu.rank - 1, dtype=float, label="activation")
        self.gpu.allocate("activations", bytes=self.given.activation_bytes)
        self.gpu.compute(f"forward {micro_batch}", flops=self.given.forward_flops)
        self.inputs[micro_batch] = x
        self.outputs[micro_batch] = self.weight * x
        if not self.is_last:
            self.gpu.send_async(self.gpu.rank + 1, self.outputs[micro_batch], label="activation")

    def backward(self, micro_batch):
        """A whole backward pass, which needs no activation of this micro-batch any longer when it is done."""
        if micro_batch not in self.inputs:
            raise ndsim.ProgramError(f"backward of micro-batch {micro_batch} before its forward")
        if self.is_last:
            gradient = self.outputs[micro_batch]
        else:
            gradient = self.gpu.receive(self.gpu.rank + 1, dtype=float, label="gradient")
        self.gpu.compute(f"backward {micro_batch}", flops=2 * self.given.forward_flops)
        self.gpu.release("activations", bytes=self.given.activation_bytes)
        self.weight_gradient += np.sum(gradient * self.inputs[micro_batch])
        if not self.is_first:
            self.gpu.send_async(self.gpu.rank - 1, self.weight * gradient, label="gradient")

    def batch(self, micro_batch):
        """The input of stage 0."""
        return self.given.first + micro_batch + np.arange(self.given.elements) % 2.0


def train(gpu, stage, micro_batches):
    # Your lines begin here: a few forward passes to warm up, then one forward and one backward in turn, then the backward
    # passes that are left.
    # Starter: lab.gap(gpu, "write the order of the passes here")
    ahead = min(gpu.world_size - 1 - gpu.rank, micro_batches)
    for i in range(ahead):
        stage.forward(i)
    for i in range(micro_batches):
        if ahead + i < micro_batches:
            stage.forward(ahead + i)
        stage.backward(i)
    # Your lines end here.


def program(gpu, given):
    stage = Stage(gpu, given)
    train(gpu, stage, given.micro_batches)
    gpu.report("gradient", stage.weight_gradient)


lab.run(program)
