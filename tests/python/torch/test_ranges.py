"""A script's profiler ranges name its operations and take no time, and torch.profiler works."""

import json

import pytest


@pytest.fixture
def names(script, tmp_path):
    """A script -> the names of its only rank's kernels in the timeline, in order."""

    def run(text):
        done = script(text, "--nproc", 1, "--trace", "run.json")
        assert done.returncode == 0, done.stderr
        spans = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
        return [span["name"] for span in spans if span["ph"] == "X"]

    return run


def test_ranges_of_the_script_name_what_is_done_in_them(names):
    assert names("""
        import torch
        from torch.profiler import record_function
        a = torch.ones(8, 8, device="cuda")

        @record_function("decorated")
        def work():
            a @ a

        with record_function("step"), torch.autograd.profiler.record_function("forward"):
            a @ a
        torch.cuda.nvtx.range_push("backward")
        with torch.cuda.nvtx.range("layer {}", 3):
            a @ a
        assert torch.cuda.nvtx.range_pop() == 0
        work()
        a @ a
    """) == ["fill", "step/forward/mm", "backward/layer 3/mm", "decorated/mm", "mm"]


def test_a_kernel_is_named_by_the_inner_range_although_the_outer_one_has_had_the_same(names):
    assert names("""
        import torch
        from torch.profiler import record_function
        a = torch.ones(8, 8, device="cuda")
        with record_function("step"):
            a @ a
            with record_function("forward"):
                a @ a
            a @ a
    """) == ["fill", "step/mm", "step/forward/mm", "step/mm"]


def test_ranges_of_pytorch_itself_name_nothing(names):
    assert names("""
        import torch
        parameter = torch.nn.Parameter(torch.ones(4, device="cuda"))
        parameter.grad = torch.ones(4, device="cuda")
        torch.optim.SGD([parameter], lr=1, foreach=False).step()
    """) == ["fill", "fill", "add"]


def test_a_range_ends_where_an_exception_leaves_it(names):
    assert names("""
        import torch
        from torch.profiler import record_function
        a = torch.empty(8, 8, device="cuda")
        try:
            with record_function("forward"):
                a.zero_()
                raise ValueError
        except ValueError:
            a.zero_()
    """) == ["forward/zero", "zero"]


def test_the_profiler_runs_and_says_once_what_it_measures(script):
    done = script(
        """
        import torch
        from torch.profiler import ProfilerActivity, profile, record_function, schedule
        for _ in range(2):
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as prof:
                with record_function("forward"):
                    torch.ones(8, 8, device="cuda") @ torch.ones(8, 8, device="cuda")
            assert "forward" in prof.key_averages().table(sort_by="self_cuda_time_total")
        with profile(schedule=schedule(wait=1, warmup=1, active=1)) as prof:
            for _ in range(4):
                prof.step()
        """,
        "--nproc",
        2,
        "--json",
    )
    assert done.returncode == 0
    assert done.stderr.count("the profiler's times of the CPU are this computer's") == 1
