"""Profiler ranges of a script name its operations, cost nothing, and torch.profiler runs."""


def test_ranges_of_the_script_name_what_is_done_in_them(printed):
    text = """
        import torch
        from torch.profiler import record_function
        from ndsim.torchrun.rank import this_rank
        rank = this_rank()

        @record_function("decorated")
        def work():
            return rank.label("mm")

        with record_function("step"), torch.autograd.profiler.record_function("forward"):
            print(rank.label("mm"))
        torch.cuda.nvtx.range_push("backward")
        with torch.cuda.nvtx.range("layer {}", 3):
            print(rank.label("mm"))
        print(torch.cuda.nvtx.range_pop(), rank.label("mm"), work())
    """
    assert printed(text, "--nproc", 1) == ["0 mm decorated/mm", "backward/layer 3/mm", "step/forward/mm"]


def test_ranges_of_pytorch_itself_name_nothing(printed):
    text = """
        import torch
        from ndsim.torchrun.rank import this_rank

        class Quiet(torch.optim.SGD):
            def step(self):
                print(this_rank().ranges)

        Quiet(torch.nn.Linear(2, 2).parameters(), lr=1).step()
    """
    assert printed(text, "--nproc", 1) == ["[]"]


def test_a_range_ends_where_an_exception_leaves_it(printed):
    text = """
        from torch.profiler import record_function
        from ndsim.torchrun.rank import this_rank
        try:
            with record_function("forward"):
                raise ValueError
        except ValueError:
            print(this_rank().ranges)
    """
    assert printed(text, "--nproc", 1) == ["[]"]


def test_the_profiler_runs_and_says_once_what_it_measures(script):
    done = script(
        """
        import torch
        from torch.profiler import ProfilerActivity, profile, record_function, schedule
        for _ in range(2):
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as prof:
                with record_function("forward"):
                    torch.ones(8, 8) @ torch.ones(8, 8)
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
    assert done.stderr.count("the profiler's own numbers are of this computer's CPU") == 1
