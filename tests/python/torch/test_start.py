"""A script finds the process, the environment and the rendezvous that torchrun or mp.spawn would give it."""

import os
import select

import pytest

MEET = """
    import torch.distributed as dist
    from torch.distributed.rendezvous import rendezvous

    def meet(address, rank=-1, size=-1):
        store, rank, size = next(rendezvous(address, rank, size))
        store.set(str(rank), f"from {rank}")
        neighbour = store.get(str((rank + 1) % size)).decode()
        print(f"rank {rank} of {size} hears {neighbour}")
"""


def with_meet(text):
    return MEET + text


def test_each_rank_is_a_process_with_the_environment_of_torchrun(printed):
    lines = printed(
        """
        import os
        names = "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE", "MASTER_ADDR"
        print(*(os.environ[name] for name in names))
        """,
        "--nproc",
        10,
    )
    first_node = [f"{rank} 10 {rank} 8 0 2 127.0.0.1" for rank in range(8)]
    assert lines == [*first_node, "8 10 0 2 1 2 127.0.0.1", "9 10 1 2 1 2 127.0.0.1"]


def test_the_script_is_main_with_its_own_arguments_and_folder(printed, tmp_path):
    text = "import sys; print(__name__, sys.argv, sys.path[0], __file__)"
    assert printed(text, "--nproc", 1, arguments=["--nproc", "3", "-x"]) == [
        f"__main__ ['train.py', '--nproc', '3', '-x'] {tmp_path} train.py"
    ]


def test_a_module_runs_as_python_runs_it(command, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "train.py").write_text("import sys; print(__name__, __package__, sys.argv[1:])")
    done = command("--json", "--nproc", 1, "-m", "package.train", "a")
    assert done.stderr == "__main__ package ['a']\n"


def test_the_options_of_torchrun_start_as_many_ranks_on_each_node(answer):
    words = ["--standalone", "--rdzv_backend=c10d", "--rdzv-endpoint", "localhost:0", "--nnodes=2", "--nproc_per_node"]
    assert answer("pass", *words, "gpu")["ranks"] == 16
    assert answer("pass", "--nproc-per-node", "3", "--max-restarts", "0")["ranks"] == 3


def test_ranks_meet_at_an_address_of_the_environment_a_port_or_a_file(printed, tmp_path):
    lines = printed(
        with_meet(
            """
    import os
    meet("env://")
    rank = int(os.environ["RANK"])
    meet("tcp://127.0.0.1:1", rank, 2)
    meet("file:///nowhere/at/all", rank, 2)
    meet("env://")
    """
        ),
        "--nproc",
        2,
    )
    assert lines == ["rank 0 of 2 hears from 1"] * 4 + ["rank 1 of 2 hears from 0"] * 4
    assert os.listdir(tmp_path) == ["train.py"]


def test_a_rank_that_calls_itself_another_is_told(script):
    done = script(with_meet('\n    meet("tcp://127.0.0.1:1", 1, 2)\n    '), "--nproc", 2)
    assert done.returncode == 4
    assert "rank 1 of 2 asks for the process group, and this process is rank 0 of 2" in done.stderr


def test_a_process_group_of_ranks_that_nobody_started_says_how_to_get_them(script):
    done = script(with_meet('\n    meet("tcp://127.0.0.1:1", 0, 2)\n    '))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "RuntimeError: rank 0 of 2 asks for the process group, and this process is rank 0 of 1; --nproc 2 starts that many"
    )


def test_spawn_runs_the_function_as_ranks(script):
    done = script(
        with_meet(
            """
    import os, torch.multiprocessing as mp

    def work(rank, size):
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "12355"
        meet("env://", rank, size)

    if __name__ == "__main__":
        mp.spawn(work, args=(3,), nprocs=3, join=True)
        context = mp.spawn(work, args=(2,), nprocs=2, join=False)
        print("begin")
        while not context.join():
            pass
        print("done")
    """
        ),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    first, last = done.stderr.split("begin\n")
    assert sorted(first.splitlines()) == [f"rank {rank} of 3 hears from {(rank + 1) % 3}" for rank in range(3)]
    assert sorted(last.splitlines()) == ["done", "rank 0 of 2 hears from 1", "rank 1 of 2 hears from 0"]


def test_processes_that_are_started_together_are_the_ranks_of_a_run(answer):
    run = answer(
        """
        import time
        import torch.multiprocessing as mp

        def work(seconds):
            time.sleep(seconds)

        if __name__ == "__main__":
            mp.set_start_method("spawn")
            processes = [mp.Process(target=work, args=(rank,)) for rank in range(3)]
            for process in processes:
                process.start()
            for process in processes:
                process.join()
            assert [process.exitcode for process in processes] == [0, 0, 0]
            assert not any(process.is_alive() for process in processes)
        """
    )
    assert (run["ranks"], run["earlier_runs"]) == (3, [])


def test_processes_that_are_never_joined_run_at_the_end(answer):
    run = answer(
        """
        import torch.multiprocessing as mp
        for rank in range(2):
            mp.Process(target=print, args=("rank",)).start()
        """
    )
    assert run["ranks"] == 2


def test_every_run_of_a_script_is_in_its_answer(answer):
    run = answer(
        """
        import torch.multiprocessing as mp
        for size in (1, 2, 4):
            mp.spawn(print, nprocs=size)
        """
    )
    assert run["ranks"] == 4
    assert [earlier["ranks"] for earlier in run["earlier_runs"]] == [1, 2]


def test_a_rank_that_spawns_is_told_to_leave_out_nproc(script):
    done = script("import torch.multiprocessing as mp; mp.spawn(print, nprocs=2)", "--nproc", 2)
    assert done.returncode == 4
    assert "the script starts ranks by itself: leave out --nproc" in done.stderr


def test_operators_run_in_one_thread(printed):
    assert printed("import torch; print(torch.get_num_threads())", "--nproc", 2) == ["1", "1"]


def test_fsdp_can_be_imported(printed):
    text = "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP; print(FSDP.__name__)"
    assert printed(text, "--nproc", 1) == ["FullyShardedDataParallel"]


def test_random_numbers_are_the_same_in_every_run(printed):
    text = """
        import random, numpy, torch
        print(random.random(), numpy.random.rand(), torch.rand(1).item())
    """
    first, second = (printed(text, "--nproc", 2) for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


# A spawned worker imports PyTorch again: one is enough.
@pytest.mark.parametrize(("loader", "ranks", "workers"), [("fork", 2, 2), ("spawn", 1, 1)])
def test_workers_of_a_data_loader_are_no_ranks(answer, loader, ranks, workers):
    text = """
        import sys, time, torch
        from torch.utils.data import DataLoader, Dataset

        class Slow(Dataset):
            def __len__(self):
                return 8

            def __getitem__(self, i):
                time.sleep(float(sys.argv[1]))
                return torch.full((4,), float(i))

        if __name__ == "__main__":
            rows = list(DataLoader(Slow(), batch_size=2, num_workers=int(sys.argv[3]), multiprocessing_context=sys.argv[2]))
            assert torch.cat(rows)[:, 0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    """
    quick, slow = (answer(text, "--nproc", ranks, arguments=[seconds, loader, workers]) for seconds in ("0", "0.01"))
    assert quick["simulated_seconds"] == slow["simulated_seconds"]


def test_workers_end_with_their_rank(script, tmp_path):
    done = script(
        """
        import os, signal, time
        pid = os.fork()
        if pid == 0:
            time.sleep(600)
            os._exit(0)
        open("pid", "w").write(str(pid))
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        "--nproc",
        1,
    )
    assert done.returncode == 4
    try:
        worker = os.pidfd_open(int((tmp_path / "pid").read_text()))
    except ProcessLookupError:
        return
    assert select.select([worker], [], [], 10)[0] == [worker]
    os.close(worker)


def test_a_script_that_ends_by_exit_tells_its_steps_and_operators(answer):
    text = """
        import sys, torch
        x = torch.ones(4, device="cuda", requires_grad=True)
        optimizer = torch.optim.SGD([x], lr=0.1)
        for _ in range(3):
            x.square().sum().backward()
            optimizer.step()
        sys.exit(0)
    """
    run = answer(text, "--nproc", 2, "--explain-cost")
    assert run["steps"] == 3
    assert run["operators"]
