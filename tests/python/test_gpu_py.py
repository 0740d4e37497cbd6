"""The Python original's programs, with only the import changed, take the simulated time for which they used to sleep."""

import re

import ndsim
import pytest
from ndsim import gpu_py
from ndsim.gpu_py import GPU, GRADIENT_SIZE_PER_MODEL, NUM_DATA_ITEMS, NUM_WORKERS, TOTAL_COMPUTE_PER_ITEM, Process


def sequential(rank):
    gpu = GPU(rank)
    for item in range(NUM_DATA_ITEMS):
        gpu.compute(f"Process item {item}", TOTAL_COMPUTE_PER_ITEM)


def worker(rank, ranks):
    gpu = GPU(rank)
    for item in range(NUM_DATA_ITEMS // ranks):
        gpu.compute(f"Process item {item}", TOTAL_COMPUTE_PER_ITEM)
    for _ in range(2 * (ranks - 1)):
        gpu.send((rank + 1) % ranks, "gradients", GRADIENT_SIZE_PER_MODEL / ranks)
        gpu.receive((rank - 1) % ranks, "gradients", GRADIENT_SIZE_PER_MODEL / ranks)


def test_the_constants_are_the_originals():
    assert (gpu_py.SECONDS_PER_COMPUTE_UNIT, gpu_py.NETWORK_BASE_LATENCY_SECONDS, gpu_py.SECONDS_PER_DATA_UNIT) == (
        0.1,
        0.05,
        0.01,
    )


def test_0d_takes_32_seconds():
    assert gpu_py.run(sequential, on_log=None).seconds == 32.0


def test_1d_takes_16_1_seconds_with_a_real_ring():
    assert gpu_py.run(worker, NUM_WORKERS, NUM_WORKERS, on_log=None).seconds == 16.1


def test_its_log_is_the_originals(capfd):
    processes = [Process(target=worker, args=(rank, NUM_WORKERS)) for rank in range(NUM_WORKERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert {process.result for process in processes} == {processes[0].result}
    assert processes[0].result.seconds == 16.1
    told = re.sub(r"PID \d+", "PID 1", capfd.readouterr().err).splitlines()
    assert told[0] == "    0.000s [PID 1] Rank 0: Starting compute: Process item 0 (20 units)"
    assert "    2.000s [PID 1] Rank 3: Finished compute: Process item 0 (took 2.000s)" in told
    assert "    9.300s [PID 1] Rank 0: Finished send: gradients to Rank 1 (took 1.300s)" in told
    assert "    9.350s [PID 1] Rank 0: Finished receive: gradients from Rank 3 (took 0.050s)" in told


def test_a_gpu_is_that_of_its_own_process():
    with pytest.raises(ndsim.ProgramError, match="within a run"):
        GPU(0)
    with pytest.raises(ndsim.RankDied, match=r"this process is rank 0, and cannot be GPU\(1\) as well"):
        gpu_py.run(lambda rank: GPU(1))
    with pytest.raises(ndsim.ProgramError, match="has been started"):
        Process(target=sequential, args=(0,)).join()
