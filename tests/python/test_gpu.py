"""Operations take exactly as long as the profile gpu-py defines: 0.1 s per unit of compute, 0.05 s plus 0.01 s per unit of data."""

import ndsim
import numpy as np
import pytest


def test_compute_takes_a_tenth_of_a_second_a_unit(quiet):
    result = quiet(1, lambda gpu: gpu.compute("forward", 20))
    assert result.picoseconds == 2_000_000_000_000
    assert result.seconds == 2.0
    assert result.ranks[0].compute == 2.0


def test_a_message_by_size_alone_costs_latency_size_and_acknowledgement(quiet):
    def program(gpu):
        if gpu.rank == 0:
            gpu.send(1, units=100, label="weights")
        else:
            gpu.receive(0, units=100)
            gpu.report("end", gpu.now())

    result = quiet(2, program)
    assert result.reports["end"] == {1: [1.1]}
    assert [rank.units_sent for rank in result.ranks] == [100, 0]
    assert result.messages == 1


@pytest.mark.parametrize("data", [np.arange(5.0), np.arange(6, dtype=np.int8).reshape(2, 3), bytearray(b"abc"), b"abc"])
def test_a_message_with_data_arrives(quiet, data):
    def program(gpu):
        if gpu.rank == 0:
            gpu.send(1, data, units=1)
        else:
            into = bytearray(memoryview(data).nbytes)
            assert gpu.receive(0, into, units=1) is into
            assert bytes(into) == bytes(memoryview(data).cast("B"))

    assert quiet(2, program).seconds == 0.11


def test_receive_without_a_length_takes_what_was_sent(quiet):
    def program(gpu):
        if gpu.rank == 0:
            gpu.send(1, np.arange(3.0), units=1)
            gpu.send(1, b"abc", units=1)
        else:
            got = gpu.receive(0, dtype=np.float64)
            assert got.tolist() == [0, 1, 2]
            got[0] = 7
            assert gpu.receive(0) == b"abc"

    quiet(2, program)


def test_the_bytes_of_the_data_are_the_cost_where_none_is_said(quiet):
    def program(gpu):
        if gpu.rank == 0:
            gpu.send(1, np.zeros(1000, np.float32))
        else:
            gpu.receive(0, np.zeros(1000, np.float32))

    assert quiet(2, program, profile="lab-nvlink").ranks[0].bytes_sent == 4000


def test_of_any_source_the_first_in_simulated_time_is_received(quiet):
    def program(gpu):
        if gpu.rank > 0:
            gpu.compute(units=10 - gpu.rank)
            gpu.send(0, np.full(2, gpu.rank), units=1)
            return
        got = [gpu.receive(dtype=np.int64) for _ in range(3)]
        assert [source for _, source in got] == [3, 2, 1]
        assert [data.tolist() for data, _ in got] == [[3, 3], [2, 2], [1, 1]]

    assert quiet(4, program).seconds == pytest.approx(1.01)


def test_of_any_source_a_size_alone_has_no_data(quiet):
    def program(gpu):
        if gpu.rank == 0:
            assert gpu.receive() == (None, 1)
            assert gpu.receive(units=7, tag=3) == (None, 1)
        else:
            gpu.send(0, units=5)
            gpu.send(0, units=7, tag=3)

    quiet(2, program)


def test_probes_say_what_is_there_and_leave_it_there(quiet):
    def program(gpu):
        if gpu.rank == 1:
            gpu.compute(units=10)
            gpu.send(0, b"12345678", units=3, tag=4)
            return
        assert gpu.probe_now(tag=4) is None
        found = gpu.probe(tag=4)
        assert (found.source, found.tag, found.data_bytes, found.units, found.bytes) == (1, 4, 8, 3.0, None)
        assert gpu.probe_now(1, tag=4).source == 1
        assert gpu.receive(1, tag=4) == b"12345678"

    quiet(2, program)


def test_asynchronous_operations_run_beside_the_program(quiet):
    def program(gpu):
        if gpu.rank == 0:
            into = np.zeros(4)
            receive = gpu.receive_async(1, into, units=4)
            gpu.compute(units=20)
            assert receive.wait() is into
            assert into.tolist() == [0, 1, 2, 3]
            assert receive.joined
        else:
            handles = [gpu.send_async(0, np.arange(4.0), units=4), gpu.compute_async(units=1)]
            assert gpu.wait(*handles) == [None, None]

    assert quiet(2, program).seconds == 2.0


def test_test_joins_what_has_ended(quiet):
    def program(gpu):
        if gpu.rank == 0:
            sending = gpu.send_async(1, units=10)
            assert not sending.test()
            gpu.compute(units=5)
            assert gpu.test(sending)
            with pytest.raises(ndsim.ProgramError, match="joined only once"):
                sending.wait()
        else:
            gpu.receive(0, units=10)

    quiet(2, program)


def test_compute_can_say_how_long_it_takes(quiet):
    result = quiet(1, lambda gpu: gpu.compute("forward", seconds=0.003))
    assert result.picoseconds == 3_000_000_000
    with pytest.raises(ndsim.RankDied, match="give one of them"):
        quiet(1, lambda gpu: gpu.compute("forward", units=1, seconds=1))


def test_of_several_operations_the_first_to_end_is_joined(quiet):
    def program(gpu):
        if gpu.rank > 0:
            gpu.compute(units=5 if gpu.rank == 2 else 10)
            gpu.send(0, np.array([float(gpu.rank)]), units=1)  # arrives at 1.06 and 0.56
            return
        arrays = [np.zeros(1), np.zeros(1)]
        handles = [gpu.receive_async(source, arrays[source - 1], units=1) for source in (1, 2)]
        assert gpu.wait_any(*handles) == 1
        assert (arrays[1][0], gpu.now()) == (2, 0.61)
        assert [handle.joined for handle in handles] == [False, True]
        assert gpu.wait_any(handles[0]) == 0
        assert (arrays[0][0], gpu.now()) == (1, 1.11)

    quiet(3, program)


def test_a_probe_waits_no_longer_than_it_says(quiet):
    def program(gpu):
        if gpu.rank == 1:
            gpu.compute(units=10)
            gpu.send(0, units=1)  # arrives at 1.06
            return
        assert gpu.probe_for(0.5) is None
        assert gpu.now() == 0.5
        assert gpu.probe_for(10, 1).source == 1
        assert gpu.now() == 1.06
        gpu.receive(1, units=1)

    quiet(2, program)


def test_a_stream_communicates_while_the_program_computes(quiet):
    def program(gpu):
        gradients = np.full(4, float(gpu.rank))
        with gpu.on(1) as handle:
            gpu.all_reduce(gradients, units=500)
            with pytest.raises(ndsim.ProgramError, match="after the block"):
                handle.wait()
        gpu.compute(units=40)
        handle.wait()
        assert gradients.tolist() == [6] * 4

    result = quiet(4, program)  # 6 x (0.05 + 1.25 + 0.05) s next to 4 s
    assert result.seconds == 8.1
    assert result.ranks[0].compute == 4.0


def test_memory_in_use_has_a_peak(quiet):
    def program(gpu):
        gpu.allocate("weights", bytes=1000)
        gpu.allocate("activations", bytes=500)
        gpu.release("activations", bytes=500)
        gpu.allocate("other", units=2.5)

    totals = quiet(1, program).ranks[0]
    assert (totals.peak_bytes, totals.peak_units) == (1500, 2.5)


def test_groups_and_meshes_name_their_ranks():
    mesh = ndsim.Mesh(dp=2, tp=2, pp=2)
    assert mesh.size == 8
    assert mesh.axes == {"dp": 2, "tp": 2, "pp": 2}
    assert mesh.along(5, "dp").ranks == [5, 7]
    assert mesh.along(0, "tp", "dp").ranks == [0, 1, 2, 3]
    assert mesh.coordinate(5, "tp") == 1
    assert mesh.rank_of(pp=1, tp=1) == 5
    group = ndsim.Group.of([3, 1])
    assert (len(group), list(group), 3 in group, 2 in group) == (2, [3, 1], True, False)
    assert (group.right_of(3), group.left_of(3), group.index_of(1)) == (1, 1, 1)
    assert ndsim.Group.strided(1, 2, 2) == ndsim.Group.of([1, 3])
    assert ndsim.Group.world(3).ranks == [0, 1, 2]
    with pytest.raises(ndsim.ProgramError, match="dp 4 would fit"):
        ndsim.Mesh(dp=3, tp=2).check_world(8)


def test_log_lines_come_in_the_order_of_simulated_time():
    def program(gpu):
        gpu.compute(units=gpu.world_size - gpu.rank)
        gpu.log(f"here is {gpu.rank}")

    lines = []
    ndsim.launch(3, program, on_log=lines.append)
    assert [(line.rank, line.seconds, line.text) for line in lines] == [
        (2, 0.1, "here is 2"),
        (1, 0.2, "here is 1"),
        (0, 0.3, "here is 0"),
    ]
    assert str(lines[0]) == f"    0.100s [PID {lines[0].pid}] Rank 2: here is 2"


def test_reports_take_numbers_lists_and_arrays(quiet):
    def program(gpu):
        gpu.report("one", gpu.rank)
        gpu.report("list", [1, 2.5])
        gpu.report("array", np.arange(3))
        gpu.report("scalar", np.float32(0.5))

    reports = quiet(2, program).reports
    assert reports["one"] == {0: [0.0], 1: [1.0]}
    assert reports["list"][1] == [1.0, 2.5]
    assert reports["array"][0] == [0.0, 1.0, 2.0]
    assert reports["scalar"][0] == [0.5]
