"""A run that fails says why, with the line of the script, and ends with the exit code of its kind."""

import os
import re
import signal
import subprocess
import sys

import pytest


def test_an_exception_names_the_lines_of_the_script(script):
    done = script(
        """
        import os, torch

        def forward(x):
            return torch.nn.Linear(3, 4)(x)

        if os.environ["RANK"] == "1":
            forward(torch.ones(5))
        """,
        "--nproc",
        2,
    )
    first, *places = done.stderr.splitlines()
    assert done.returncode == 4
    assert first.startswith("ndsim.torchrun: rank 1 (pid ")
    assert first.endswith(": RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x5 and 3x4)")
    assert re.search(r"linear.py:\d+ in forward: return F.linear\(input, self.weight, self.bias\)$", places[0])
    assert [place.split("/")[-1].strip() for place in places[1:]] == [
        "train.py:4 in forward: return torch.nn.Linear(3, 4)(x)",
        "train.py:7 in <module>: forward(torch.ones(5))",
    ]


def test_a_script_that_leaves_early_with_a_code_has_failed(script):
    done = script("import os, sys; sys.exit(3 * int(os.environ['RANK']))", "--nproc", 2)
    assert done.returncode == 4
    assert "sys.exit(3)" in done.stderr


def test_a_killed_rank_is_named(script):
    done = script("import os; os.environ['RANK'] == '1' and os.kill(os.getpid(), 9)", "--nproc", 2)
    assert done.returncode == 4
    assert re.fullmatch(r"ndsim.torchrun: rank 1 \(pid \d+\) was killed by signal 9.*\n", done.stderr)


def test_a_rank_that_computes_for_ever_hangs(script):
    done = script("while True: pass", "--nproc", 1, "--watchdog", 0.5)
    assert done.returncode == 5
    assert "hangs: no op for 0.5 s" in done.stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_all_ranks(tmp_path, stop):
    (tmp_path / "train.py").write_text("import os, time\nprint(os.getpid(), flush=True)\nwhile True: os.getppid()\n")
    line = [sys.executable, "-m", "ndsim.torchrun", "--nproc", "2", "--trace", "run.json", "train.py"]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        ranks = [int(run.stdout.readline()) for _ in range(2)]
        run.send_signal(stop)
        _, said = run.communicate(timeout=60)
    assert (run.returncode, said) == (128 + stop, "")
    assert not any(os.path.exists(f"/proc/{pid}") for pid in ranks)
    assert (tmp_path / "run.json").read_text().startswith("{")


def test_an_error_before_the_ranks_is_pythons_own(script):
    done = script("import os\nprint(os.environ['NOT_THERE'])\n")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "Traceback (most recent call last):"
    assert 'train.py", line 2, in <module>' in done.stderr
    assert "runpy" not in done.stderr


def test_a_failed_spawn_is_an_exception_for_the_script(script):
    done = script(
        """
        import torch.multiprocessing as mp

        def work(rank):
            raise ValueError(f"rank {rank} has enough")

        try:
            mp.spawn(work, nprocs=1)
        finally:
            print("in the end")
        """
    )
    assert done.returncode == 4
    assert done.stdout == "in the end\n"
    assert "ValueError: rank 0 has enough" in done.stderr


def test_an_output_that_cannot_be_written_is_its_own_exit_code(script):
    done = script("pass", "--nproc", 1, "--report", "no/where/run.html")
    assert done.returncode == 6
    assert done.stderr.startswith("ndsim.torchrun: no/where/run.html")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_that_goes_away_is_an_output_that_cannot_be_written(tmp_path, form):
    (tmp_path / "train.py").write_text("")
    line = [sys.executable, "-m", "ndsim.torchrun", "--nproc", "1", *form, "train.py"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(line, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.returncode == 6
    assert done.stderr == "ndsim.torchrun: standard output cannot be written: Broken pipe\n"


def test_thirty_kills_leave_nothing_behind(script):
    """nothing_is_left_behind checks for shared memory; the test checks the folder for files."""
    done = script(
        """
        import os, torch.multiprocessing as mp

        def work(rank, victim):
            if rank == victim:
                os.kill(os.getpid(), 9)

        for i in range(30):
            try:
                mp.spawn(work, args=(i % 3,), nprocs=3)
            except Exception as error:
                assert f"rank {i % 3} " in str(error)
        """,
        "--json",
    )
    assert (done.returncode, done.stderr) == (0, "")


BEGIN = """
    import os
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    x = torch.ones(4, device="cuda")
"""


def explanation(done):
    """The lines after "in the script"."""
    assert done.returncode == 3, done.stderr
    return done.stderr.partition("in the script\n")[2].splitlines()


# There is no guarantee that a rank waiting for its GPU has reached the line that waits; only its calls are guaranteed.
def test_a_deadlock_names_the_lines_that_the_script_has_called(script):
    text = """
    def average(x):
        dist.all_reduce(x)

    if rank != 1:
        average(x)
        print(x.sum().item())
    """
    done = script(BEGIN + text, "--nproc", 3)
    assert " called all_reduce (train.py:11)" in "".join(explanation(done))
    assert "2 of 3 have come; missing: rank 1; rank 1 has finished" in done.stderr


def test_what_waits_on_the_host_is_named_by_its_line(script):
    text = """
    group = dist.new_group(backend="gloo")
    if rank == 0:
        dist.all_reduce(torch.ones(4), group=group)
    """
    done = script(BEGIN + text, "--nproc", 2)
    assert explanation(done) == ["  rank 0 waits at train.py:12, in all_reduce"]


def test_two_that_receive_first_are_named_by_their_lines(script):
    text = """
    if rank == 0:
        dist.recv(x, 1)
    else:
        dist.recv(x, 0)
    print(x.sum().item())
    """
    lines = "\n".join(explanation(script(BEGIN + text, "--nproc", 2)))
    assert " recv (train.py:11)" in lines
    assert " recv (train.py:13)" in lines


def test_collectives_that_do_not_match_are_named_by_their_lines(script):
    text = """
    if rank == 0:
        dist.all_reduce(x)
    else:
        dist.broadcast(x, 0)
    """
    assert explanation(script(BEGIN + text, "--nproc", 2)) == [
        "  rank 0 called all_reduce (train.py:11)",
        "  rank 1 called broadcast (train.py:13)",
    ]


def test_ranges_are_part_of_what_was_called(script):
    text = """
    from torch.profiler import record_function
    with record_function("synchronize"):
        if rank:
            dist.barrier()
    """
    assert explanation(script(BEGIN + text, "--nproc", 2)) == ["  rank 1 waits at train.py:13, in synchronize/barrier"]


def test_a_collective_in_a_second_thread_is_refused(script):
    text = """
    import threading
    said = []

    def reduce():
        try:
            dist.all_reduce(x)
        except RuntimeError as error:
            said.append(error)

    thread = threading.Thread(target=reduce)
    thread.start()
    thread.join()
    raise said[0]
    """
    done = script(BEGIN + text, "--nproc", 1)
    assert done.returncode == 2
    assert done.stderr.startswith("ndsim.torchrun: train.py:15: all_reduce in a second thread cannot run here: ")
