"""Lab 13: four axes of parallelism on nodes: who may use the fast links?"""

from dataclasses import dataclass

from ndsim import Group, lab
import numpy as np


@dataclass
class Axis:
    """An axis of the mesh: in a step its groups of `size` ranks move a message of `bytes` `times` times."""

    name: str
    size: int
    bytes: int
    times: int
    stride: int = 0  # from one rank of a group to the next


def set_strides(gpu, axes):
    # Your lines begin here: choose the order of the axes, the innermost first, and give each its stride. The innermost
    # has stride 1; its groups are neighbours, and so lie in one node, if they fit in.
    # Starter: lab.gap(gpu, "order the axes and give each its stride")
    order = sorted(axes, key=lambda axis: axis.bytes * axis.times, reverse=True)
    stride = 1
    for axis in order:
        axis.stride = stride
        stride *= axis.size
    # Your lines end here.


def group_of(gpu, axis):
    """The ranks that differ from this one along the axis alone."""
    first = gpu.rank - gpu.rank // axis.stride % axis.size * axis.stride
    return [first + i * axis.stride for i in range(axis.size)]


def pass_on(gpu, axis):
    """Activations go on from stage to stage of the pipeline."""
    stage = gpu.rank // axis.stride % axis.size
    for _ in range(axis.times):
        if stage + 1 < axis.size:
            gpu.send(gpu.rank + axis.stride, label=axis.name, bytes=axis.bytes)
        if stage > 0:
            gpu.receive(gpu.rank - axis.stride, label=axis.name, bytes=axis.bytes)


def program(gpu, given):
    axes = [Axis(name, given[name], given[name + "_bytes"], given[name + "_times"]) for name in ("tp", "cp", "dp", "pp")]
    set_strides(gpu, axes)
    for axis in axes:
        group = group_of(gpu, axis)
        gpu.report(axis.name, np.array(group, dtype=float))
        for _ in range(0 if axis.name == "pp" else axis.times):
            gpu.all_reduce(bytes=axis.bytes, group=Group.of(group))
    pass_on(gpu, axes[3])


lab.run(program)
