"""A device: a GPU whose host runs ahead of it, and collectives priced as a whole whose data arrive."""

import ndsim
import numpy as np
import pytest
from ndsim import _ndsim

US = 1_000_000  # picoseconds


def reports(ranks, program):
    return ndsim.launch(ranks, program, machine="dgx-h100", on_log=None).reports


def test_a_gpu_that_is_slower_than_its_host_never_idles():
    def program(gpu):
        device = _ndsim.Device(gpu, 2 * US)
        for _ in range(10):
            device.kernel("matrix product", 10 * US)
        gpu.report("host", device.host_picoseconds)
        gpu.report("device", device.now())
        gpu.report("after", device.synchronize())

    told = reports(1, program)
    assert told["host"][0] == [20 * US]
    assert told["device"][0] == [102 * US]
    assert told["after"][0] == [102 * US]


def test_a_gpu_that_is_faster_waits_for_its_host():
    def program(gpu):
        device = _ndsim.Device(gpu, 5 * US)
        for _ in range(10):
            device.kernel("add", 1 * US)
        device.pass_host(7 * US)
        device.kernel("add", 1 * US)
        gpu.report("device", device.now())

    assert reports(1, program)["device"][0] == [63 * US]


def test_the_data_of_a_collective_arrive_and_its_time_is_that_of_its_size_alone():
    def by_size_alone(gpu):
        gpu.all_reduce(bytes=4000)
        gpu.report("price", gpu.now())

    price = reports(4, by_size_alone)["price"][0][0]

    def program(gpu):
        device = _ndsim.Device(gpu, 1 * US)
        device.kernel("backward", (20 + gpu.rank) * US)
        mine = np.full(1000, gpu.rank + 1.0, dtype=np.float32)
        handle = device.collective(1, "all_reduce", mine.nbytes, group=gpu.world, data=mine)
        mine[:] = 0  # it was copied
        device.join(handle)
        brought = [np.frombuffer(view, dtype=np.float32) for view in device.take(handle)]
        gpu.report("sum", float(np.sum(brought, axis=0)[999]))
        gpu.report("device", device.now())

    told = reports(4, program)
    assert [told["sum"][rank] for rank in range(4)] == [[10.0]] * 4
    assert told["device"][0] == [pytest.approx((24 * US) + price * 1e12, abs=1)]


def test_a_collective_that_waits_for_no_kernel_runs_beside_those_launched_before_it():
    def program(gpu):
        device = _ndsim.Device(gpu, 1 * US)
        device.kernel("forward", 1000 * US)
        handle = device.collective(1, "all_gather", 1 << 20, group=gpu.world, after_main=False, takes=False)
        device.join(handle)
        gpu.report("device", device.now())

    told = reports(8, program)
    assert 1001 * US <= told["device"][0][0] < 1010 * US  # slowed down a little by what runs beside it


def test_data_are_taken_once_and_after_the_join():
    def early(gpu):
        device = _ndsim.Device(gpu, 0)
        handle = device.collective(1, "barrier", 0, group=gpu.world)
        device.take(handle)

    with pytest.raises(ndsim.RankDied, match="only the data of a collective that was joined"):
        reports(2, early)


def test_an_unknown_collective_is_refused_with_the_nearest():
    def program(gpu):
        _ndsim.Device(gpu, 0).collective(1, "all_reduced", 0, group=gpu.world)

    with pytest.raises(ndsim.RankDied, match='there is no collective "all_reduced"; did you mean all_reduce?'):
        reports(1, program)
