"""Lab 7: a pipeline that runs all forward passes, then all backward passes (GPipe)."""

from ndsim import lab
import numpy as np


class Stage:
    """One stage of the model multiplies by its weight. It keeps what comes in until the backward pass."""

    def __init__(self, gpu, given):
        self.gpu, self.given = gpu, given
        self.weight = 1.0 + gpu.rank % 3
        self.weight_gradient = 0.0
        self.inputs, self.outputs = {}, {}

    def batch(self, micro_batch):
        """The input of stage 0."""
        return self.given.first + micro_batch + np.arange(self.given.elements) % 2.0

    def forward(self, micro_batch, x):
        """Returns what the next stage gets."""
        self.gpu.allocate("activations", bytes=self.given.activation_bytes)
        self.gpu.compute(f"forward {micro_batch}", flops=self.given.forward_flops)
        self.inputs[micro_batch] = x
        self.outputs[micro_batch] = self.weight * x
        return self.outputs[micro_batch]

    def loss_gradient(self, micro_batch):
        """The gradient that starts the last stage's backward pass: its loss is half the sum of its squared outputs."""
        return self.outputs[micro_batch]

    def backward(self, micro_batch, gradient):
        """Returns what the stage before gets."""
        self.gpu.compute(f"backward {micro_batch}", flops=2 * self.given.forward_flops)
        self.gpu.release("activations", bytes=self.given.activation_bytes)
        self.weight_gradient += np.sum(gradient * self.inputs[micro_batch])
        return self.weight * gradient


def train(gpu, stage, micro_batches):
    # Your lines begin here: all micro-batches forward, then all backward. What a stage sends, it sends with send_async,
    # so that it computes on while the message leaves.
    # Starter: lab.gap(gpu, "write the pipeline here")
    before, following = gpu.rank - 1, gpu.rank + 1
    is_last = following == gpu.world_size
    for i in range(micro_batches):
        x = stage.batch(i) if before < 0 else gpu.receive(before, dtype=float, label="activation")
        y = stage.forward(i, x)
        if not is_last:
            gpu.send_async(following, y, label="activation")
    for i in range(micro_batches):
        gradient = stage.loss_gradient(i) if is_last else gpu.receive(following, dtype=float, label="gradient")
        to_stage_before = stage.backward(i, gradient)
        if before >= 0:
            gpu.send_async(before, to_stage_before, label="gradient")
    # Your lines end here.


def program(gpu, given):
    stage = Stage(gpu, given)
    train(gpu, stage, given.micro_batches)
    gpu.report("gradient", stage.weight_gradient)


lab.run(program)
