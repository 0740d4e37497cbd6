"""Runs that end early raise the reason, with the rank, the line and the same explanation as from C++."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import ndsim
import numpy as np
import pytest


def test_a_deadlock_is_explained(quiet):
    with pytest.raises(ndsim.DeadlockError) as raised:
        quiet(2, lambda gpu: gpu.receive(1 - gpu.rank, units=1))
    assert str(raised.value) == textwrap.dedent(
        """\
        deadlock at 0 s: 2 of 2 ranks can never go on
          rank 0, op 0: receive from 1   nothing was sent; rank 1 waits too
          rank 1, op 0: receive from 0   nothing was sent; rank 0 waits too
          cycle: 0 -> 1 -> 0"""
    )
    assert raised.value.rank is None
    assert raised.value.result.fault.kind == "DeadlockError"
    assert issubclass(ndsim.DeadlockError, ndsim.ProgramError)


def test_members_that_disagree_are_a_mismatch(quiet):
    with pytest.raises(ndsim.MismatchError, match="rank 1, op 0: all-reduce of 500 units"):
        quiet(2, lambda gpu: gpu.all_reduce(units=400 + 100 * gpu.rank))


def test_what_has_no_price_is_the_programs_mistake(quiet):
    with pytest.raises(ndsim.ProgramError, match="profile gpu-py has no price for bytes") as raised:
        quiet(2, lambda gpu: gpu.barrier() if gpu.rank else gpu.send(1, bytes=1))
    assert type(raised.value) is ndsim.ProgramError
    assert raised.value.rank == 0


def test_an_exception_in_a_rank_names_the_rank_and_the_line(quiet):
    def inner():
        raise ValueError("the loss is not a number")

    def program(gpu):
        gpu.compute("forward", 20)
        if gpu.rank == 1:
            inner()
        gpu.barrier()

    line = inner.__code__.co_firstlineno + 1
    with pytest.raises(ndsim.RankDied) as raised:
        quiet(2, program)
    error = raised.value
    assert (error.rank, error.signal) == (1, 0)
    first, where, caller, *_ = str(error).splitlines()
    assert first == f"rank 1 (pid {error.result.pids[1]}) threw after op 0, at 2 s: ValueError: the loss is not a number"
    assert where == f'  {__file__}:{line} in inner: raise ValueError("the loss is not a number")'
    assert caller.endswith("in program: inner()")
    assert error.result.seconds == 2.0


def test_an_error_of_the_simulator_can_be_caught_in_the_rank(quiet):
    def program(gpu):
        try:
            gpu.send(9, units=1)
        except ndsim.ProgramError as error:
            gpu.log(str(error))
        gpu.compute(units=1)

    lines = []
    assert ndsim.launch(2, program, on_log=lines.append).seconds == 0.1
    assert lines[0].text == "rank 0 cannot send to rank 9: ranks are 0 to 1"


def test_a_long_exception_keeps_its_beginning(quiet):
    def program(gpu):
        raise RuntimeError("ä" * 5000)

    with pytest.raises(ndsim.RankDied, match="RuntimeError: ää") as raised:
        quiet(1, program)
    assert "in program: raise RuntimeError" in str(raised.value)


def test_a_program_that_swallows_everything_cannot_survive_the_end_of_the_run(quiet):
    def program(gpu):
        if gpu.rank == 1:
            raise ValueError("enough")
        while True:
            try:
                gpu.receive(1, units=1)
            except BaseException:  # noqa: S110
                pass

    with pytest.raises(ndsim.RankDied, match="enough"):
        quiet(2, program)


def test_a_rank_may_leave_by_sys_exit(quiet):
    assert quiet(2, lambda gpu: sys.exit(0) if gpu.rank else gpu.compute(units=1)).seconds == 0.1
    with pytest.raises(ndsim.RankDied, match=r"sys.exit\(3\)"):
        quiet(2, lambda gpu: sys.exit(3) if gpu.rank else gpu.compute(units=1))


def test_a_killed_rank_is_named(quiet):
    def program(gpu):
        gpu.compute(units=20)
        gpu.now()
        if gpu.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        gpu.barrier()

    with pytest.raises(ndsim.RankDied, match="rank 1 .* was killed by signal 9") as raised:
        quiet(2, program)
    assert (raised.value.rank, raised.value.signal) == (1, 9)


def test_a_rank_that_never_asks_again_hangs(quiet):
    def program(gpu):
        gpu.compute(units=20)
        while gpu.rank == 1:
            pass
        gpu.barrier()

    with pytest.raises(ndsim.RankHung, match="rank 1 .* hangs: no op for 0.2 s") as raised:
        quiet(2, program, watchdog=0.2)
    assert raised.value.rank == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"host": "fiber"}, "Python's stack cannot be switched"),
        ({"host": "thread"}, "no such host"),
        ({"machine": "dgx-h10"}, "did you mean dgx-h100"),
        ({"profile": "gpu-pi"}, "did you mean gpu-py"),
        ({"profile": "gpu-py", "machine": "dgx-h100"}, "give one of them"),
        ({"watchdog": 0}, "watchdog must be more than 0"),
        ({"time_scale": -1.0}, "time scale must be 0 or more"),
    ],
)
def test_an_option_that_cannot_be_is_a_usage_error(quiet, options, words):
    with pytest.raises(ndsim.UsageError, match=words):
        quiet(2, lambda gpu: gpu.barrier(), **options)


def test_no_ranks_and_no_function_are_usage_errors(quiet):
    with pytest.raises(ndsim.UsageError, match="at least 1 rank, not 0"):
        quiet(0, lambda gpu: None)
    with pytest.raises(ndsim.UsageError, match="a function of a GPU, not int"):
        quiet(1, 7)


def test_an_exception_in_on_log_ends_the_run():
    def on_log(line):
        raise KeyError(line.text)

    with pytest.raises(KeyError, match="hello"):
        ndsim.launch(2, lambda gpu: (gpu.log("hello"), gpu.barrier()), on_log=on_log)


def test_ctrl_c_is_a_keyboard_interrupt_and_ends_all_ranks(quiet):
    def program(gpu):
        while gpu.rank == 0:
            time.sleep(0.01)
        gpu.barrier()

    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        quiet(3, program)


def test_a_handler_that_goes_on_gets_the_fault(quiet):
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(ndsim.Interrupted, match="stopped by signal 15"):
            quiet(2, lambda gpu: time.sleep(60))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]


def test_threads_of_before_do_not_disturb_the_ranks(quiet):
    stop = threading.Event()
    threads = [threading.Thread(target=lambda: [sum(range(1000)) for _ in iter(stop.is_set, True)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert quiet(4, lambda gpu: gpu.all_reduce(np.ones(100), units=100)).seconds == pytest.approx(2.1)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_thread_can_launch(quiet):
    results = []
    thread = threading.Thread(target=lambda: results.append(quiet(2, lambda gpu: gpu.barrier())))
    thread.start()
    thread.join()
    assert results[0].seconds == 0.1


def test_lines_of_ranks_do_not_mix_where_python_does_not_buffer():
    program = """
        import ndsim
        import sys

        def program(gpu):
            for i in range(200):
                print("rank", gpu.rank, "line", i)
                print("rank", gpu.rank, "error", i, file=sys.stderr)

        ndsim.launch(4, program)
    """
    done = subprocess.run([sys.executable, "-u", "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    for text, word in ((done.stdout, "line"), (done.stderr, "error")):
        assert sorted(text.splitlines()) == sorted(f"rank {rank} {word} {i}" for rank in range(4) for i in range(200))


def test_a_program_that_has_closed_its_output_runs():
    program = """
        import ndsim, sys
        sys.stdout.close()
        assert ndsim.launch(2, lambda gpu: gpu.barrier()).seconds > 0
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)


def test_what_a_rank_prints_comes_out_once():
    program = """
        import ndsim, sys
        print("before")
        ndsim.launch(2, lambda gpu: (print("rank", gpu.rank), sys.stderr.write("error\\n")), on_log=None)
        print("after")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.splitlines()) == ["after", "before", "rank 0", "rank 1"]
    assert done.stderr == "error\nerror\n"


def test_two_hundred_kills_at_random_leave_nothing_behind(quiet, tmp_path, monkeypatch):
    """nothing_is_left_behind checks for processes and shared memory; every run must end with the rank that was killed.

    The test has a temporary folder of its own, because others may write to the machine's.

    NDSIM_KILLS=1000 makes it a thousand.
    """
    dice = random.Random(4711)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)

    def held():
        return sorted(os.listdir("/proc/self/fd")), os.listdir(tempfile.gettempdir())

    def program(gpu, victim, at):
        numbers = np.zeros(64)
        for step in range(8):
            if gpu.rank == victim and step == at:
                os.kill(os.getpid(), signal.SIGKILL)
            gpu.compute(units=1)
            gpu.all_reduce(numbers, units=64)

    before = held()
    for _ in range(int(os.environ.get("NDSIM_KILLS", "200"))):
        victim, at = dice.randrange(4), dice.randrange(8)
        with pytest.raises(ndsim.RankDied, match=f"rank {victim} .* was killed by signal 9"):
            quiet(4, program, victim, at, timeline=False)
    assert held() == before


def test_a_rank_killed_from_outside_at_any_time_is_reported(quiet):
    dice = random.Random(815)

    def program(gpu):
        if gpu.rank == 0:
            pid = os.fork()
            if pid == 0:
                time.sleep(dice.random() * 0.02)
                os.kill(os.getppid(), signal.SIGKILL)
                os._exit(0)
        while True:
            gpu.barrier()
            gpu.now()

    for _ in range(10):
        dice.random()
        with pytest.raises(ndsim.RankDied, match="rank 0 .* was killed by signal 9"):
            quiet(3, program, timeline=False)


def test_faults_are_suffered_in_simulated_time(quiet):
    def program(gpu):
        gpu.compute(units=10)

    result = quiet(2, program, faults=["slow rank 1 x2.5"])
    assert [rank.end for rank in result.ranks] == [1.0, 2.5]
    with pytest.raises(ndsim.RankDied, match="was killed by signal 9 before its first op, at 0 s, as was asked"):
        quiet(2, program, faults=["kill rank 1 at 0s"])
    with pytest.raises(ndsim.UsageError, match="write kill rank R at TIME"):
        quiet(2, program, faults=["kill rank 1"])
