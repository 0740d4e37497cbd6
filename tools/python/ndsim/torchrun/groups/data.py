"""The data of collectives: the memory of tensors as bytes, and what a group makes of the bytes of its members.

Nothing here is work of the simulated GPU: tensors are read and written as memory, beside PyTorch's operators.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy
import torch

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "SUM": lambda total, part: total.add_(part),
    "AVG": lambda total, part: total.add_(part),
    "PRODUCT": lambda total, part: total.mul_(part),
    "MIN": lambda total, part: torch.minimum(total, part, out=total),
    "MAX": lambda total, part: torch.maximum(total, part, out=total),
    "BAND": lambda total, part: total.bitwise_and_(part),
    "BOR": lambda total, part: total.bitwise_or_(part),
    "BXOR": lambda total, part: total.bitwise_xor_(part),
}
ORDERS = ("MIN", "MAX", "BAND", "BOR", "BXOR")


@contextlib.contextmanager
def unseen() -> Iterator[None]:
    """What runs in here is seen neither by the simulated GPU nor by autograd."""
    guard = torch._C._DisableTorchDispatch()
    try:
        with torch.no_grad():
            yield
    finally:
        del guard


def alias(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor as it is now, on the same memory: a script may give its own another memory meanwhile, by `tensor.data = …`."""
    with unseen():
        return tensor.detach()


def byte_count(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def memory(tensor: torch.Tensor) -> memoryview | None:
    """The bytes of a contiguous tensor, in place; None: it has none."""
    size = byte_count(tensor)
    return memoryview((ctypes.c_char * size).from_address(tensor.data_ptr())).cast("B") if size else None


def packed(tensors: Sequence[torch.Tensor]) -> Any:
    """The bytes of tensors, one after another: in place where one contiguous tensor is all."""
    solid = [tensor if tensor.is_contiguous() else tensor.detach().contiguous() for tensor in tensors]
    if len(solid) == 1:
        view = memory(solid[0])
        # A copy has no other owner.
        return view if view is None or solid[0] is tensors[0] else bytes(view)
    return b"".join(view for view in map(memory, solid) if view is not None)


def elements(view: memoryview, dtype: torch.dtype) -> torch.Tensor:
    """A flat tensor on the memory of a view, to be read as long as the view lives."""
    if not view.nbytes:
        return torch.empty(0, dtype=dtype)
    if view.readonly:
        # PyTorch would warn of memory that cannot be written to.
        address = numpy.frombuffer(view, dtype=numpy.uint8).__array_interface__["data"][0]
        return torch.frombuffer((ctypes.c_char * view.nbytes).from_address(address), dtype=dtype)
    return torch.frombuffer(view, dtype=dtype)


def fill(tensor: torch.Tensor, view: memoryview) -> None:
    """Write bytes into a tensor of any strides."""
    if tensor.is_contiguous():
        target = memory(tensor)
        if target is not None:
            target[:] = view
    else:
        tensor.detach().copy_(elements(view, tensor.dtype).view(tensor.shape))


def fill_all(tensors: Sequence[torch.Tensor], views: Sequence[memoryview]) -> None:
    """Write bytes into tensors: the views and the tensors, each one after another."""
    if len(tensors) != 1:
        whole = views[0] if len(views) == 1 else memoryview(b"".join(views))
        begin = 0
        for tensor in tensors:
            end = begin + byte_count(tensor)
            fill(tensor, whole[begin:end])
            begin = end
        return
    target = tensors[0]
    if not target.is_contiguous():
        fill(target, memoryview(b"".join(views)))
        return
    memory_of_target = memory(target)
    begin = 0
    for view in views:
        end = begin + view.nbytes
        if memory_of_target is not None and end > begin:
            memory_of_target[begin:end] = view
        begin = end


def name_of(op: Any) -> str:
    """SUM, AVG …"""
    kind = getattr(op, "op", op)
    return str(getattr(kind, "name", kind))


def check_reduction(op: Any, dtype: torch.dtype) -> str:
    """The name of a reduction that can be done for this type."""
    name = name_of(op)
    if name not in IN_PLACE:
        raise ValueError(f"ReduceOp.{name} is not there without NCCL itself: scale the tensor, and use ReduceOp.SUM")
    if dtype.is_complex and name in ORDERS:
        raise RuntimeError(f"all_reduce does not support ReduceOp.{name} on complex tensors")
    if dtype.is_floating_point and name in ("BAND", "BOR", "BXOR"):
        raise RuntimeError(f"Cannot use ReduceOp.{name} with non-integral dtype {dtype}")
    return name


def reduced(parts: Sequence[memoryview], dtype: torch.dtype, name: str) -> torch.Tensor:
    """What the parts of all members make together, as a new flat tensor: added up in the order of ranks."""
    total = elements(parts[0], dtype).clone()
    combine = IN_PLACE[name]
    for part in parts[1:]:
        combine(total, elements(part, dtype))
    if name == "AVG":
        if dtype.is_floating_point or dtype.is_complex:
            total.div_(len(parts))
        else:
            total.div_(len(parts), rounding_mode="trunc")
    return total


def write_elements(tensors: Sequence[torch.Tensor], flat: torch.Tensor) -> None:
    """Write a flat tensor into tensors, one after another."""
    view = memory(flat)
    if view is not None:
        fill_all(tensors, [view])


def numbers(values: Sequence[int]) -> bytes:
    """Whole numbers as bytes."""
    return array.array("q", values).tobytes()


def read_numbers(view: memoryview) -> list[int]:
    found = array.array("q")
    found.frombytes(view)
    return found.tolist()
