"""A script that starts its ranks as subprocesses of itself, with their rank in the environment, becomes a run with these ranks."""

BEGIN = """
    import os, subprocess, sys
    import torch
    import torch.distributed as dist

    if "LOCAL_RANK" not in os.environ:
        print("begins")
        for rank in range(1, 3):
            environment = dict(os.environ, LOCAL_RANK=str(rank), WORLD_SIZE="3", MASTER_PORT="12910")
            subprocess.Popen([sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]], env=environment)
"""


def test_its_ranks_are_those_of_one_run(script):
    text = """
    dist.init_process_group("nccl")
    ones = torch.ones(1, device=f"cuda:{os.environ['LOCAL_RANK']}")
    dist.all_reduce(ones)
    print(sys.argv[1], ones.item())
    """
    done = script(BEGIN + text, "--machine", "dgx-a100", arguments=["x"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "begins"
    assert done.stdout.count("x 3.0") == 3
    assert "train.py on 3 x A100" in done.stdout
    assert "train.py:9 starts ranks: they run from the beginning, as with --nproc 3" in done.stderr


def test_other_programs_are_started_as_ever(printed):
    text = """
        import os, subprocess, sys
        for environment in (None, dict(os.environ, LOCAL_RANK="1")):
            print(subprocess.run([sys.executable, "-c", "print(1)"], env=environment, capture_output=True).stdout)
        print(subprocess.run(["echo", "2"], env=dict(LOCAL_RANK="1", WORLD_SIZE="2", **os.environ), capture_output=True).stdout)
    """
    assert printed(text) == ["b'1\\n'", "b'1\\n'", "b'2\\n'"]


def test_ranks_that_are_started_after_a_gpu_was_used_are_refused(script):
    text = "    torch.ones(1, device='cuda')\n"
    head, _, start = BEGIN.partition("    if ")
    done = script(head + text + "    if " + start)
    assert done.returncode == 1
    assert "this process has used its GPUs and can no longer start ranks; start it with --nproc 3" in done.stderr


def test_a_launcher_that_calls_torchrun_starts_the_ranks_of_a_run(script, tmp_path):
    (tmp_path / "work.py").write_text("import os, sys\nprint(os.environ['GIVEN'], os.environ['RANK'], sys.argv[1])\n")
    done = script(
        """
        import os
        from torch.distributed.run import get_args_parser, run
        os.environ["GIVEN"] = "given"
        run(get_args_parser().parse_args(["--nproc_per_node", "2", "work.py", "x"]))
        """
    )
    assert done.returncode == 0, done.stderr
    assert "given 0 x" in done.stdout and "given 1 x" in done.stdout
    assert "work.py on 2 x" in done.stdout
