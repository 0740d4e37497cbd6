"""The pytest plugin runs functions that use torch.distributed as ranks on simulated GPUs."""

import re
import subprocess
import sys

TESTS = '''\
import pytest
import torch
import torch.distributed as dist

pytestmark = pytest.mark.ndsim_torch(ranks=2)
WIDTH = 8


def summed():
    dist.init_process_group("nccl")
    x = torch.ones(WIDTH, device="cuda")
    if dist.get_rank() == 0 or WIDTH == 8:
        dist.all_reduce(x)
    return x


@pytest.mark.parametrize("times", [2])
def test_sum(times, tmp_path):
    assert (times * summed()).tolist() == WIDTH * [2.0 * times]


def test_wrong():
    assert summed()[0].item() == 3.0


def test_hang():
    global WIDTH
    WIDTH = 9
    summed()


@pytest.mark.ndsim_torch(ranks=2, machin="dgx-h100")
def test_unknown():
    pass


def test_fixture(capsys):
    pass
'''


def test_functions_of_torch_distributed_run_as_ranks(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    words = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-p", "ndsim.pytest_plugin", "-q", "test_it.py"]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True).stdout

    def of(test):
        return re.search(rf"^_+ {test} _+$(.*?)^(_+ test_|=+ )", said, re.DOTALL | re.MULTILINE)[1]

    assert "4 failed, 1 passed" in said
    assert re.search(r"RankDied: rank [01] \(pid \d+\) threw .*: AssertionError: assert 2.0 == 3.0", of("test_wrong"))
    assert re.search(r"test_it.py:23 in test_wrong: assert summed\(\)\[0\].item\(\) == 3.0", of("test_wrong"))
    assert "missing: rank 1; rank 1 has finished" in of("test_hang")
    assert "rank 0 called all_reduce (test_it.py:13)" in of("test_hang")
    assert "did you mean machine=?" in of("test_unknown")
    assert "UsageError: the function cannot be sent to the ranks" in of("test_fixture")
