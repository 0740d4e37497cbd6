"""Collectives on arrays give NumPy's results, in the time that their size alone takes."""

import ndsim
import numpy as np
import pytest

RANKS = 4
ADDABLE = ["float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "float16"]
MOVABLE = [*ADDABLE, "bool", "complex64"]


def inputs(dtype, count=12):
    """The array of each rank."""
    return [np.array([(3 * rank + i) % 7 for i in range(count)]).astype(dtype) for rank in range(RANKS)]


def outputs(quiet, program, arrays):
    """The arrays on the ranks afterwards."""

    def rank(gpu):
        mine = program(gpu, arrays[gpu.rank].copy())
        gpu.report("out", np.frombuffer(np.ascontiguousarray(mine).tobytes(), np.uint8))

    reports = quiet(RANKS, rank, profile="lab-nvlink").reports["out"]
    return [np.array(reports[rank], np.uint8).tobytes() for rank in range(RANKS)]


def chunk(array, rank):
    return array[3 * rank : 3 * rank + 3]


def same(out, wanted):
    assert out == [np.ascontiguousarray(each).tobytes() for each in wanted]


@pytest.mark.parametrize("dtype", ADDABLE)
def test_all_reduce_adds_up_every_dtype(quiet, dtype):
    arrays = inputs(dtype)
    total = sum(arrays[1:], arrays[0].copy()).astype(dtype)
    same(outputs(quiet, lambda gpu, x: gpu.all_reduce(x), arrays), [total] * RANKS)


def test_a_collective_as_a_whole_adds_up_and_costs_what_its_size_costs_on_that_machine(quiet):
    arrays = inputs("float32")

    def rank(gpu):
        mine = arrays[gpu.rank].copy()
        gpu.all_reduce(mine, whole=True)
        gpu.report("seconds", gpu.now())
        gpu.report("sum", mine)
        with gpu.on(1) as handle:
            gpu.broadcast(3, mine if gpu.rank == 3 else np.zeros_like(mine), whole=True)
        handle.wait()

    def by_size(gpu):
        gpu.all_reduce(bytes=48)
        gpu.report("seconds", gpu.now())

    told = quiet(RANKS, rank, machine="dgx-h100").reports
    assert told["seconds"] == quiet(RANKS, by_size, machine="dgx-h100").reports["seconds"]
    assert told["sum"] == {rank: list(sum(arrays)) for rank in range(RANKS)}


@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_reductions_are_sum_average_and_max(quiet, dtype):
    arrays = [np.full(4, 4 * rank, dtype) for rank in range(RANKS)]
    for reduction, wanted in [("sum", 24), ("average", 6), ("max", 12)]:
        out = outputs(quiet, lambda gpu, x, r=reduction: gpu.all_reduce(x, reduction=r), arrays)
        same(out, [np.full(4, wanted, dtype)] * RANKS)


@pytest.mark.parametrize("dtype", ADDABLE)
def test_reduce_scatter_leaves_each_rank_its_chunk_of_the_sum(quiet, dtype):
    arrays = inputs(dtype)
    total = sum(arrays[1:], arrays[0].copy()).astype(dtype)
    out = outputs(quiet, lambda gpu, x: gpu.reduce_scatter(x), arrays)
    same(out, [chunk(total, rank) for rank in range(RANKS)])


@pytest.mark.parametrize("dtype", ADDABLE)
def test_reduce_leaves_the_root_the_sum(quiet, dtype):
    arrays = inputs(dtype)
    total = sum(arrays[1:], arrays[0].copy()).astype(dtype)
    assert outputs(quiet, lambda gpu, x: gpu.reduce(2, x), arrays)[2] == total.tobytes()


@pytest.mark.parametrize("dtype", MOVABLE)
def test_broadcast_gives_all_the_array_of_the_root(quiet, dtype):
    arrays = inputs(dtype)
    same(outputs(quiet, lambda gpu, x: gpu.broadcast(1, x), arrays), [arrays[1]] * RANKS)


@pytest.mark.parametrize("dtype", MOVABLE)
def test_all_gather_gives_all_every_chunk(quiet, dtype):
    arrays = inputs(dtype)
    whole = np.concatenate([chunk(arrays[rank], rank) for rank in range(RANKS)])
    same(outputs(quiet, lambda gpu, x: gpu.all_gather(x), arrays), [whole] * RANKS)


@pytest.mark.parametrize("dtype", MOVABLE)
def test_gather_gives_the_root_every_chunk(quiet, dtype):
    arrays = inputs(dtype)
    whole = np.concatenate([chunk(arrays[rank], rank) for rank in range(RANKS)])
    assert outputs(quiet, lambda gpu, x: gpu.gather(3, x), arrays)[3] == whole.tobytes()


@pytest.mark.parametrize("dtype", MOVABLE)
def test_scatter_gives_each_its_chunk_of_the_root(quiet, dtype):
    arrays = inputs(dtype)
    same(outputs(quiet, lambda gpu, x: gpu.scatter(0, x), arrays), [chunk(arrays[0], rank) for rank in range(RANKS)])


@pytest.mark.parametrize("dtype", MOVABLE)
def test_all_to_all_exchanges_chunks(quiet, dtype):
    arrays = inputs(dtype)
    wanted = [np.concatenate([chunk(arrays[source], rank) for source in range(RANKS)]) for rank in range(RANKS)]
    same(outputs(quiet, lambda gpu, x: gpu.all_to_all(x), arrays), wanted)


def test_all_to_all_v_exchanges_parts_of_any_length(quiet):
    def program(gpu):
        parts = [bytes([gpu.rank]) * (gpu.rank + to) for to in range(RANKS)]
        came = gpu.all_to_all_v(parts, units=8)
        assert came == [bytes([source]) * (source + gpu.rank) for source in range(RANKS)]

    assert quiet(RANKS, program).seconds == pytest.approx(3 * 0.12)


@pytest.mark.parametrize("name", ["all_reduce", "all_gather", "reduce_scatter", "all_to_all"])
def test_time_with_data_is_that_of_the_size_alone(quiet, name):
    with_data = quiet(RANKS, lambda gpu: getattr(gpu, name)(np.zeros(400), units=400))
    by_size = quiet(RANKS, lambda gpu: getattr(gpu, name)(units=400))
    assert with_data.picoseconds == by_size.picoseconds > 0


@pytest.mark.parametrize("name", ["broadcast", "reduce", "gather", "scatter"])
def test_time_with_data_and_a_root_is_that_of_the_size_alone(quiet, name):
    with_data = quiet(RANKS, lambda gpu: getattr(gpu, name)(1, np.zeros(400), units=400))
    by_size = quiet(RANKS, lambda gpu: getattr(gpu, name)(1, units=400))
    assert with_data.picoseconds == by_size.picoseconds > 0


def test_an_algorithm_has_its_own_time(quiet):
    ring = quiet(RANKS, lambda gpu: gpu.all_reduce(units=500, algorithm="ring"))
    direct = quiet(RANKS, lambda gpu: gpu.all_reduce(units=500, algorithm="direct"))
    server = quiet(RANKS, lambda gpu: gpu.all_reduce(units=500, algorithm="parameter_server"))
    assert ring.seconds == pytest.approx(6 * 1.35)
    assert direct.seconds == pytest.approx(3 * 5.1)
    assert server.seconds == pytest.approx(4 * 5.1)


def test_a_hierarchy_and_channels_are_parameters(quiet):
    def program(gpu):
        x = np.ones(8)
        gpu.all_reduce(x, algorithm="hierarchical", inner=2)
        gpu.all_reduce(x, algorithm="ring", channels=2)
        assert x.tolist() == [16] * 8

    quiet(RANKS, program, profile="lab-nvlink")


def test_a_group_is_some_of_the_ranks(quiet):
    def program(gpu):
        group = ndsim.Mesh(dp=2, tp=2).along(gpu.rank, "tp")
        x = np.array([float(gpu.rank)])
        gpu.all_reduce(x, units=1, group=group)
        assert x[0] == {0: 1, 1: 1, 2: 5, 3: 5}[gpu.rank]
        gpu.barrier(group)

    quiet(RANKS, program)


def test_a_barrier_takes_two_rounds_of_four_ranks(quiet):
    assert quiet(RANKS, lambda gpu: gpu.barrier()).seconds == 0.2


def test_a_memoryview_is_a_buffer_as_well(quiet):
    def program(gpu):
        import array

        numbers = array.array("d", [gpu.rank] * 4)
        gpu.all_reduce(numbers, units=4)
        assert numbers.tolist() == [6] * 4
        assert gpu.reduce_scatter(numbers, units=4).tolist() == [24]

    quiet(RANKS, program)


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (np.zeros((4, 4))[:, 1], ValueError, "ascontiguousarray"),
        (np.asfortranarray(np.zeros((4, 4))), ValueError, "C order"),
        (np.zeros(4, object), TypeError, "Python objects"),
        (np.zeros(4, bool), TypeError, "bool"),
        (np.zeros(4, complex), TypeError, "complex128"),
        (np.zeros(4, ">f8"), TypeError, "byte order"),
        (b"abcd", ValueError, "read-only"),
        ([1.0, 2.0], TypeError, "not list"),
    ],
)
def test_what_cannot_be_added_up_is_refused(quiet, data, error, words):
    def program(gpu):
        with pytest.raises(error, match=words):
            gpu.all_reduce(data, units=1)

    quiet(1, program)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda gpu: gpu.all_reduce(units=1, algorithm="rign"), 'not "rign"; did you mean ring'),
        (lambda gpu: gpu.all_reduce(units=1, reduction="avg"), 'sum, average, max, not "avg"'),
        (lambda gpu: gpu.all_reduce(), "units= or bytes="),
        (lambda gpu: gpu.all_reduce(units=1, bytes=8), "give one of them"),
        (lambda gpu: gpu.all_reduce(bytes=0.5), "whole number"),
        (lambda gpu: gpu.broadcast(7, units=1), "rank 7, is not in its group"),
        (lambda gpu: gpu.all_reduce(units=1, channels=99), "channels must be 1 to 32"),
        (lambda gpu: gpu.send(1, units=1), "ranks are 0 to 0"),
        (lambda gpu: gpu.send(1), "units= or bytes="),
        (lambda gpu: gpu.compute(), "units=, flops= or seconds="),
        (lambda gpu: gpu.on(0), "must be 1 to 62, not 0"),
        (lambda gpu: gpu.on(1000), "must be 1 to 62, not 1000"),
    ],
)
def test_arguments_that_cannot_be_raise_at_once(quiet, call, words):
    def program(gpu):
        with pytest.raises(ndsim.ProgramError, match=words):
            call(gpu)

    quiet(1, program)
