"""Kernels in Triton's language: a script may write them; PyTorch finds no Triton; a launch is refused with the kernel's name."""

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
        "a kernel of one's own cannot be priced; use operators of PyTorch"
    )
