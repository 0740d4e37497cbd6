"""Calls the operators that PyTorch tests itself with (its OpInfos) on the host and on a GPU, forward and backward, and prints as
JSON for each: `equal` bit by bit, the largest difference relative to the largest number, or the error. Arguments select
operators."""

import json
import sys
import types
import unittest
import warnings

import torch
import torch.cuda.jiterator
from torch.utils._pytree import tree_flatten, tree_map

try:
    import expecttest  # noqa: F401
except ImportError:  # PyTorch's lists are next to its own tests, which import it
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = unittest.TestCase

# Custom kernels are refused when created: the list is read without them.
OWN_KERNEL = len
torch.cuda.jiterator._create_jit_fn = torch.cuda.jiterator._create_multi_output_jit_fn = lambda *given, **named: OWN_KERNEL

from torch.testing._internal.common_methods_invocations import op_db

SAMPLES = 2
MOST_ELEMENTS = 4096  # of a sample's tensors: larger ones add nothing
# Their numbers are whatever new memory contains.
WITHOUT_NUMBERS = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
# Types for operators that do not take single precision.
TYPES = (torch.float32, torch.int64, torch.complex64, torch.bfloat16, torch.uint8, torch.float8_e4m3fn, torch.bool)


def type_of(info):
    """The first of TYPES that an operator supports on a GPU and on the host, according to PyTorch."""
    return next(each for each in TYPES if each in info.dtypesIfCUDA and (each in info.dtypes or not info.dtypes))


def leaves_of(tree):
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def samples(info, dtype):
    """The first few calls with small tensors, or the first call if there are none."""
    torch.manual_seed(0)
    first, small = None, []
    for sample in info.sample_inputs("cpu", dtype, requires_grad=info.supports_autograd and (dtype.is_floating_point or dtype.is_complex)):
        first = first or sample
        tensors = leaves_of((sample.input, sample.args, sample.kwargs))
        if sum(tensor.numel() for tensor in tensors if tensor.layout == torch.strided) <= MOST_ELEMENTS:
            small.append(sample)
        if len(small) == SAMPLES:
            break
    return small or [first]


def moved(tensor):
    """A tensor on the GPU, with the memory around it: for a view, the whole storage."""
    if tensor.layout != torch.strided or tensor.is_nested or tensor.is_conj() or tensor.is_neg():
        return tensor.to("cuda")
    whole = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
    return whole.to("cuda").as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def on_gpu(value):
    if isinstance(value, torch.Tensor):
        return moved(value.detach()).requires_grad_(value.requires_grad)
    return torch.device("cuda") if value in ("cpu", torch.device("cpu")) else value


def call(info, sample, place):
    """The results of an operator, and its gradients."""
    given = tree_map(place, (sample.input, list(sample.args), dict(sample.kwargs)))
    torch.manual_seed(1)
    made = info.op(given[0], *given[1], **given[2])
    outputs = leaves_of(sample.output_process_fn_grad(made))
    wanted = [leaf for leaf in leaves_of(given) if leaf.requires_grad]
    with_gradient = [output for output in outputs if output.requires_grad]
    if not with_gradient or not wanted:
        return leaves_of(made), []
    torch.manual_seed(2)
    directions = [place(torch.randn(output.shape, dtype=output.dtype)) for output in with_gradient]
    return leaves_of(made), torch.autograd.grad(with_gradient, wanted, directions, allow_unused=True)


def dense(tensor):
    return tensor.detach().to_dense() if tensor.layout != torch.strided else tensor.detach()


def difference(expected, found, has_numbers):
    """0 if they are equal bit by bit; a text if they cannot be compared."""
    if (expected is None) != (found is None):
        return "a gradient on one of both alone"
    if expected is None:
        return 0.0
    if not found.is_cuda:
        return "a result on the host"
    if (expected.shape, expected.dtype, expected.layout) != (found.shape, found.dtype, found.layout):
        return f"{found.dtype}{list(found.shape)} for {expected.dtype}{list(expected.shape)}"
    if not has_numbers:
        return 0.0
    expected, found = dense(expected), dense(found.cpu())
    wide = torch.complex128 if expected.is_complex() else torch.float64
    expected, found = expected.to(wide), found.to(wide)
    if torch.allclose(expected, found, rtol=0, atol=0, equal_nan=True):
        return 0.0
    if not torch.equal(expected.isfinite(), found.isfinite()):
        return "other infinities or numbers that are none"
    finite = expected.isfinite()
    return ((expected - found)[finite].abs().max() / expected[finite].abs().max()).item()


def worst(said):
    """The first error, or the largest difference."""
    wrong = [each for each in said if isinstance(each, str)]
    return wrong[0] if wrong else max(said, default=0.0)


def compare(info, sample):
    """The largest difference of one call, forward and backward."""
    expected = call(info, sample, lambda value: value)
    found = call(info, sample, on_gpu)
    if [len(each) for each in expected] != [len(each) for each in found]:
        return "another number of results"
    has_numbers = info.name not in WITHOUT_NUMBERS
    gaps = [difference(*pair, has_numbers) for before, after in zip(expected, found, strict=True) for pair in zip(before, after, strict=True)]
    return worst(gaps)


def judge(info):
    """The verdict on an operator."""
    said = []
    for sample in samples(info, type_of(info)):
        try:
            said.append(compare(info, sample))
        except Exception as error:  # noqa: BLE001: whatever is raised is what this is for
            said.append(f"{type(error).__name__}: {error}".splitlines()[0])
    return worst(said)


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    only = sys.argv[1:]
    for info in op_db:
        if info.op is OWN_KERNEL or not info.dtypesIfCUDA or only and info.full_name not in only:
            continue
        gap = judge(info)
        print(json.dumps({"operator": info.full_name, "said": "equal" if gap == 0.0 else gap}), flush=True)


if __name__ == "__main__":
    main()
