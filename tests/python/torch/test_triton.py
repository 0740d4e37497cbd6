"""Triton kernels: a script may define them; PyTorch finds no Triton; a launch is refused with the kernel's name, unless the
kernel is known by it."""

import json

import pytest

KERNEL = """
    import torch
    import triton
    import triton.language as tl

    BLOCK = tl.constexpr(128)


    @triton.autotune(configs=[triton.Config({"B": 128}, num_warps=4)], key=["n"])
    @triton.heuristics({"EVEN": lambda given: given["n"] % 128 == 0})
    @triton.jit
    def copy(x, y, n: tl.int64, B: tl.constexpr, EVEN: tl.constexpr):
        at = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)
"""


def test_a_kernel_can_be_written(printed):
    text = KERNEL + """
    print(triton.cdiv(10, 4), triton.next_power_of_2(100), copy.arg_names, {torch.float32: tl.float32}.keys() == {torch.float32})
    """
    assert printed(text, "--nproc", 1) == ["3 128 ['x', 'y', 'n', 'B', 'EVEN'] True"]


def test_pytorch_finds_none(printed):
    text = """
        import torch
        import triton
        from torch._inductor.runtime.triton_compat import HAS_TRITON
        from torch.utils._triton import has_triton, has_triton_package

        print(has_triton(), has_triton_package(), HAS_TRITON)
    """
    assert "False False False" in printed(text, "--nproc", 1)


def test_the_launch_of_an_unknown_kernel_is_refused(script):
    done = script(KERNEL + "\n    copy[(1,)](torch.zeros(128).cuda(), torch.zeros(128).cuda(), 128)\n", "--nproc", 1)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "ndsim.torchrun: train.py:15: the Triton kernel __main__.copy cannot run here: "
        "a custom kernel cannot be priced; use PyTorch operators"
    )


# Liger's kernel, and a variant with another argument instead of a required one.
MULTIPLY = """
import triton
import triton.language as tl


@triton.jit
def element_mul_kernel(X_ptr, X_stride, {factor}, n_cols, BLOCK_SIZE: tl.constexpr):
    at = tl.program_id(0) * X_stride + tl.arange(0, BLOCK_SIZE)
    tl.store(X_ptr + at, tl.load(X_ptr + at) * tl.load({factor}))
"""
LAUNCH = """
    import torch
    from liger_kernel.ops.utils import element_mul_kernel

    x, factor = torch.ones(2, 4, device="cuda"), torch.tensor(3.0, device="cuda")
    element_mul_kernel[(2,)](x, x.stride(0), factor, 4, BLOCK_SIZE=4, num_warps=1)
    print(x.sum().item())
"""


@pytest.fixture
def package(tmp_path):
    """The name of the second tensor -> a package liger_kernel next to the script, with that kernel."""

    def write(factor):
        folder = tmp_path / "liger_kernel" / "ops"
        folder.mkdir(parents=True)
        for inside in (folder, folder.parent):
            (inside / "__init__.py").touch()
        (folder / "utils.py").write_text(MULTIPLY.format(factor=factor))

    return write


def test_a_kernel_that_is_known_by_its_name_is_computed_and_priced(package, script):
    package("grad_output_ptr")
    done = script(LAUNCH, "--json", "--nproc", 1, "--explain-cost")
    assert done.stderr == "24.0\n", done.stderr
    rows = {row["operator"]: row for row in json.loads(done.stdout)["operators"]}
    assert rows["liger_scale"]["count"] == 1 and not rows["liger_scale"]["guessed"]


def test_one_of_the_name_with_other_arguments_is_refused(package, script):
    package("scale_ptr")
    done = script(LAUNCH, "--nproc", 1)
    assert done.returncode == 2
    assert "the Triton kernel liger_kernel.ops.utils.element_mul_kernel cannot run here: its arguments differ from those" in done.stderr


EXPERTS = """
    import torch
    from ndsim.torchrun.stand_ins import known_kernels

    counts = torch.tensor([[1, 2], [1, 3]])  # from two ranks, for two experts
    starts = counts.flatten().cumsum(0) - counts.flatten()
    offsets = counts.sum(0).cumsum(0) - counts.sum(0)
    found = []
    for module in ("torchao.prototype.moe_training.ep.kernels", "torchtune.modules.moe.indices", "deepspeed.moe.ep_kernels"):
        indices = torch.full((8,), -1, device="cuda")
        tensors = [each.flatten().cuda() for each in (counts, starts, offsets)]
        known_kernels.known(module, "_fill_indices_kernel")(*tensors, indices, 2, 2)
        found.append(indices.tolist())
    print(found == 3 * [[0, 3, 1, 2, 4, 5, 6, -1]], found[0])

    fused, rows = "torchtitan.overrides.fused_swiglu", [torch.randn(6, 4, device="cuda") for _ in range(3)]
    gate, up, grad = rows
    made, of_gate, of_up = (torch.zeros(6, 4, device="cuda") for _ in range(3))
    last = torch.tensor([2, 5], device="cuda")
    known_kernels.known(fused, "_silu_and_mul_forward_kernel")(gate, up, made, last, True)
    known_kernels.known(fused, "_silu_and_mul_backward_kernel")(grad, gate, up, of_gate, of_up, last, True)
    a, b = gate.clone().requires_grad_(), up.clone().requires_grad_()
    plain = torch.nn.functional.silu(a) * b
    pairs = zip((made, of_gate, of_up), (plain, *torch.autograd.grad(plain, (a, b), grad)))
    print(all(torch.allclose(one[:5], other[:5], atol=1e-6) and not one[5:].any() for one, other in pairs))
"""


def test_kernels_of_experts_compute_what_they_do_in_each_package_that_has_them(printed):
    assert printed(EXPERTS, "--nproc", 1) == ["True", "True [0, 3, 1, 2, 4, 5, 6, -1]"]
