"""The result of a run: the same timeline as the C++ program, columns for pandas, pictures and files."""

import json
import subprocess

import ndsim
import numpy as np
import pytest


def hello(gpu):
    """distributed_hello, line for line."""
    gpu.log(f"Hello, I am rank {gpu.rank} of {gpu.world_size}")
    numbers = np.full(4, float(gpu.rank))
    gpu.report("brought", numbers)
    gpu.all_reduce(numbers, units=4)
    gpu.report("holds", numbers)
    gpu.log(f"I brought {gpu.rank} and hold {numbers[0]:g}")


def test_the_timeline_of_a_python_program_is_that_of_the_same_cpp_program(quiet, bin_dir):
    for options in [["--ranks", "4"], ["--ranks", "7"]]:
        command = [bin_dir / "distributed_hello", "--json", "--quiet", *options]
        there = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        here = quiet(int(options[1]), hello)
        assert here.timeline_sha256 == there["timeline_sha256"]
        assert here.seconds == there["simulated_seconds"]
        assert here.reports["holds"] == {each["rank"]: each["holds"] for each in there["per_rank"]}


def test_the_timeline_is_the_same_in_every_run(quiet):
    def program(gpu):
        if gpu.rank == 0:
            for _ in range(12):
                data, source = gpu.receive()
                gpu.send(source, units=1)
        else:
            for i in range(4):
                gpu.compute(units=(gpu.rank * i) % 5)
                gpu.send(0, b"job", units=1)
                gpu.receive(0, units=1)

    assert len({quiet(4, program).timeline_sha256 for _ in range(20)}) == 1


def test_totals_add_up_to_the_run(quiet):
    result = quiet(4, hello)
    assert result.seconds == 0.66
    assert result.messages == 24
    assert len(result.pids) == len(set(result.pids)) == 4
    for rank in result.ranks:
        assert rank.compute + rank.communication + rank.idle == pytest.approx(0.66)
        assert (rank.end, rank.messages_sent, rank.units_sent) == (0.66, 6, 6.0)
    assert repr(result).startswith("<ndsim.Result: 4 ranks, 0.66 s simulated, ")


def test_the_timeline_is_a_data_frame(quiet):
    pandas = pytest.importorskip("pandas")
    spans = pandas.DataFrame(quiet(4, hello).timeline())
    assert len(spans) == 4 * (2 + 6 * 2)
    sends = spans[spans.kind == "send"]
    assert (sends.end_ps - sends.begin_ps).tolist() == [60_000_000_000] * 24
    assert sends.billionths_of_units.sum() == 24 * 10**9
    assert set(sends.label) == {"all-reduce"}
    assert sends.peer.tolist() == [(rank + 1) % 4 for rank in sends["rank"]]
    assert set(spans[spans.kind == "log"].peer) == {-1}
    assert spans.end_ps.max() == 660_000_000_000
    # Both ends of a message share its number.
    ends = spans[spans.message >= 0].groupby("message").size()
    assert set(ends) == {2}


def test_the_timeline_draws_itself(quiet):
    result = quiet(2, lambda gpu: (gpu.compute("forward", 10), gpu.barrier()))
    assert result.text(60).splitlines()[0].startswith("<lambda>: 2 ranks, 1.1 s")
    assert "█ compute" in result.text()
    assert "C compute" in result.text(ascii=True) and result.text(ascii=True).isascii()
    assert result._repr_svg_() == result.svg()
    assert result.svg().startswith("<svg ")
    assert "2 ranks, 1.1 s simulated" in result._repr_html_() and result.svg() in result._repr_html_()
    assert quiet(1, hello, title="<&>").text().startswith("<&>: 1 rank")


def test_pages_traces_and_pictures_are_files(quiet, tmp_path):
    result = quiet(4, hello)
    result.save_trace(str(tmp_path / "run.json"))
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert sum(event.get("name") == "all-reduce" for event in events) >= 48
    result.save_trace(str(tmp_path / "run.csv"))
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 1 + 4 * 14
    result.report(str(tmp_path / "run.html"))
    assert "<html" in (tmp_path / "run.html").read_text()
    result.save_svg(str(tmp_path / "run.svg"))
    assert (tmp_path / "run.svg").read_text() == result.svg()
    with pytest.raises(ndsim.OutputError, match="cannot be written"):
        result.report(str(tmp_path / "nowhere" / "run.html"))
    with pytest.raises(ndsim.UsageError, match="no trace is written as .xyz; known: .json"):
        result.save_trace(str(tmp_path / "run.xyz"))


def test_what_is_said_of_a_run_stands_in_its_traces_and_its_steps_are_spans(quiet, tmp_path):
    result = quiet(2, hello)
    result.describe(answer='{"a":1}', verdict="", steps=[(0, "step 1", 0, 5000), (0, "step 2", 5000, 7000), (1, "step 2", 0, 7000)])
    result.save_trace(str(tmp_path / "run.json"))
    trace = json.loads((tmp_path / "run.json").read_text())
    assert trace["otherData"] == {"answer": {"a": 1}}
    steps = [(event["pid"], event["name"], event["args"]["dur_ps"]) for event in trace["traceEvents"] if event.get("cat") == "step"]
    assert steps == [(0, "step 1", 5000), (1, "step 2", 7000), (0, "step 2", 2000)]


@pytest.mark.parametrize("steps", [[(2, "a", 0, 1)], [(0, "a", 2, 1)], [(0, "a", 0, 3), (0, "b", 2, 4)], [(1, "a", 0, 1), (0, "a", 0, 1)]])
def test_steps_of_a_run_lie_one_after_the_other_on_ranks_that_ran(quiet, steps):
    with pytest.raises(ndsim.UsageError, match="steps must be of ranks that ran"):
        quiet(2, hello).describe(answer="", verdict="", steps=steps)


def test_a_run_that_failed_shows_how_far_it_came(quiet):
    def program(gpu):
        gpu.compute("forward", 20)
        gpu.receive(1 - gpu.rank, units=1)

    with pytest.raises(ndsim.DeadlockError) as raised:
        quiet(2, program)
    assert raised.value.result.timeline()["label"] == ["forward", "forward"]
    assert raised.value.result.fault.message == str(raised.value)


def test_a_run_without_a_timeline_says_so(quiet):
    result = quiet(2, hello, timeline=False)
    assert result._repr_svg_() is None
    with pytest.raises(ndsim.UsageError, match="timeline=True"):
        result.timeline()
    assert result.timeline_sha256 == quiet(2, hello).timeline_sha256


def test_a_machine_prices_flops_messages_and_collectives(quiet):
    def program(gpu):
        gpu.compute("matrix product", flops=2 * 8192**3)
        gpu.report("computed", gpu.now())
        gpu.all_reduce(bytes=2**30)

    result = quiet(8, program, machine="dgx-h100")
    numbers = {each["field"]: each["value"] for each in ndsim.hardware("dgx-h100")["numbers"]}
    gpu = ndsim.hardware("dgx-h100")["accelerator"]
    rate = gpu["bf16_flops"] * gpu["sustained_clock"] * numbers["efficiency.gemm_peak"]
    assert result.reports["computed"][0][0] == pytest.approx(2 * 8192**3 / rate, rel=1e-9)
    all_reduce = result.seconds - result.reports["computed"][0][0]
    assert 2**30 / all_reduce * 2 * 7 / 8 == pytest.approx(450e9, rel=0.2)


def test_a_run_can_be_in_step_with_the_wall(quiet):
    result = quiet(2, lambda gpu: gpu.compute(units=20), time_scale=0.1)
    assert result.seconds == 2.0
    assert result.wall_seconds >= 0.2


def test_blocking_sends_show_who_relies_on_buffers(quiet):
    def program(gpu):
        gpu.send(1 - gpu.rank, units=1)
        gpu.receive(1 - gpu.rank, units=1)

    assert quiet(2, program).seconds == 0.11
    with pytest.raises(ndsim.DeadlockError):
        quiet(2, program, blocking_sends=True)
