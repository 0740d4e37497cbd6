"""A script's clocks are those of its simulated host; PyTorch and Python wait in real time."""


def test_sleeping_passes_on_every_clock_and_takes_no_time(printed):
    text = """
        import time, timeit
        from time import monotonic
        clocks = time.time, time.perf_counter, monotonic, timeit.default_timer
        begin = [clock() for clock in clocks]
        time.sleep(3600)
        print(*(round(clock() - one) for clock, one in zip(clocks, begin)))
    """
    assert printed(text, "--nproc", 2) == ["3600 3600 3600 3600"] * 2


def test_clocks_begin_at_zero_and_count_picoseconds(printed):
    text = """
        import time
        print(time.time() < 1e-6)
        begin = time.perf_counter_ns()
        time.sleep(0.25)
        took = time.perf_counter_ns() - begin
        print(250_000_000 <= took <= 250_000_100)
    """
    assert printed(text, "--nproc", 1) == ["True", "True"]


def test_names_imported_before_the_ranks_show_their_clock(printed):
    text = """
        from time import perf_counter, sleep
        import torch.multiprocessing as mp

        def work(rank):
            begin = perf_counter()
            sleep(100 * (rank + 1))
            print(round(perf_counter() - begin))

        if __name__ == "__main__":
            mp.spawn(work, nprocs=2)
    """
    assert printed(text) == ["100", "200"]


def test_waiting_with_a_timeout_goes_by_the_real_clock(printed):
    text = """
        import queue, threading, time
        try:
            queue.Queue().get(timeout=0.01)
        except queue.Empty:
            print(threading.Event().wait(0.01), time.time() < 1e-6)
    """
    assert printed(text, "--nproc", 1) == ["False True"]


def test_a_negative_sleep_is_refused_as_ever(printed):
    text = """
        import time
        try:
            time.sleep(-1)
        except ValueError as error:
            print(error)
    """
    assert printed(text, "--nproc", 1) == ["sleep length must be non-negative"]


def test_who_waits_for_a_file_waits_in_real_time(tmp_path, printed):
    (tmp_path / "filelock.py").write_text("import time\n\ndef acquire():\n    time.sleep(0.01)\n    return time.time() > 1e9\n")
    text = """
        import time
        import filelock
        print(filelock.acquire(), time.time() < 1e-6)
    """
    assert printed(text, "--nproc", 1) == ["True True"]
