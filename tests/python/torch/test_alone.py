"""A process that nobody starts as a rank is the only one: a script without --nproc, and a notebook after ndsim.torch.here()."""

import subprocess
import sys
import textwrap

import pytest

TRAIN = """
    import torch
    model = torch.nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(torch.ones(8, 64, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    moved = torch.ones(1 << 20, device="cuda:3").to("cuda:5")
"""


def test_a_script_that_asks_for_no_ranks_has_the_timeline_of_one(answer):
    alone, one = answer(TRAIN), answer(TRAIN, "--nproc", 1)
    for key in ("timeline_sha256", "simulated_seconds", "steps", "step_seconds", "memory", "breakdown", "ops"):
        assert alone[key] == one[key]
    assert (alone["ranks"], alone["steps"], alone["earlier_runs"]) == (1, 3, [])


def test_it_finds_the_gpus_of_a_node_and_no_environment_of_torchrun(printed):
    text = "import os, torch; print(torch.cuda.device_count(), 'RANK' in os.environ)"
    assert printed(text) == ["8 False"]
    assert printed(text, "--nproc", 1) == ["8 True"]


def test_its_clock_is_simulated_and_its_budget_is_printed(script):
    done = script("import time\nbegin = time.time()\ntime.sleep(1000)\nprint(round(time.time() - begin, 3))")
    first, *budget = done.stdout.splitlines()
    assert first == "1000.0"
    assert budget[:2] == ["", "train.py on 1 x H100-SXM-80GB (dgx-h100)"]
    assert "  simulated time  1000 s" in budget


def test_data_parallel_works_on_several_gpus(printed):
    lines = printed(
        """
        import torch
        torch.manual_seed(0)
        layer = torch.nn.Linear(4, 1)
        inputs = torch.ones(6, 4)
        right = layer(inputs).sum()
        result = torch.nn.DataParallel(layer.cuda(), device_ids=[0, 1, 2])(inputs.cuda()).sum().cpu()
        print(torch.equal(right, result))
        """
    )
    assert lines[-1] == "True"


@pytest.mark.parametrize(
    ("text", "options", "code", "last"),
    [
        ("sys.exit()", [], 0, ""),
        ("sys.exit(5)", [], 5, ""),
        ("raise ValueError('enough')", [], 1, "ValueError: enough"),
        ("import torch.distributed.rpc as rpc; rpc.init_rpc('a')", [], 2, "train.py:4: torch.distributed.rpc.init_rpc cannot run here: "),
        ("time.sleep(2)", ["--fault", "kill rank 0 at 1s"], 4, "rank 0 was killed "),
    ],
    ids=["exit", "code", "exception", "refusal", "killed"],
)
def test_it_ends_with_the_exit_code_of_what_ended_it(script, text, options, code, last):
    begin = "import sys, time, torch\nx = torch.ones(3, device='cuda')\nx.sum().item()\n"
    done = script(begin + text + "\nx.sum().item()", *options)
    assert done.returncode == code
    assert last in (done.stderr.splitlines() or [""])[-1]
    assert done.stdout.startswith("\ntrain.py on 1 x" if code == 0 else "")


def test_it_may_look_at_its_gpus_and_then_start_ranks(answer):
    run = answer(
        """
        import torch, torch.multiprocessing as mp
        if __name__ == "__main__":
            torch.cuda.get_device_name()
            torch.cuda.mem_get_info()
            mp.spawn(print, nprocs=2)
            torch.ones(1, device="cuda").item()
        """
    )
    assert [each["ranks"] for each in (*run["earlier_runs"], run)] == [2, 1]


def test_ranks_that_it_starts_may_be_folded(answer):
    run = answer("import torch.multiprocessing as mp\nmp.spawn(print, nprocs=4)", "--fold", 2)
    assert (run["ranks"], run["ranks_run"], run["earlier_runs"]) == (4, 2, [])


def test_ranks_are_not_forked_from_a_process_that_has_used_its_gpus(script):
    done = script("import torch, torch.multiprocessing as mp\ntorch.ones(1, device='cuda')\nmp.spawn(print, nprocs=2)")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "RuntimeError: this process has used its GPUs and can no longer fork ranks: start them before"
    )


def program(text):
    """How a separate Python program ends."""
    line = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(line, capture_output=True, text=True)


def test_here_makes_a_program_a_rank_that_reports_as_it_goes():
    done = program(
        """
        import sys, time
        import ndsim.torch
        assert "torch" not in sys.modules
        gpus = ndsim.torch.here(machine="dgx-a100")
        import torch
        x = torch.ones(1 << 20, device="cuda")
        first = gpus.report()
        assert str(first).startswith("here on 1 x A100-SXM-80GB (dgx-a100)")
        assert (first.returned, first.report["memory"]["allocated"]) == ([], 1 << 22)
        x.sum().item()
        second = gpus.report()
        assert second.seconds > first.seconds
        assert gpus.report().timeline_sha256 == second.timeline_sha256 != first.timeline_sha256
        assert time.time() > 1e9  # The clock of a notebook is the real one.
        try:
            ndsim.torch.here()
        except ndsim.UsageError as error:
            print(error)
        """
    )
    assert (done.stdout, done.stderr, done.returncode) == ("this process is a rank already\n", "", 0)


def test_here_comes_before_torch():
    done = program("import torch, ndsim.torch\nndsim.torch.here()")
    assert done.stderr.splitlines()[-1] == (
        "ndsim._errors.MachineLimit: torch is imported already, and the simulated GPU has to come before it: start a new process, or "
        "restart the notebook's kernel, and call ndsim first"
    )


def test_here_is_one_rank():
    done = program("import ndsim.torch\nndsim.torch.here(ranks=2)")
    assert done.stderr.splitlines()[-1] == (
        "ndsim._errors.UsageError: this process is the only rank; ndsim.torch.launch(fn, ranks=4) starts several"
    )
