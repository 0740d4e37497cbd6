"""The pytest plugin: functions run as ranks, and their errors are failures with lines."""

import json
import re
import subprocess
import sys
import textwrap

import ndsim
import pytest


@pytest.fixture
def run(tmp_path):
    """Run pytest with the plugin on this text as a test file; returns its output and its exit code."""

    def run_tests(text, *options):
        (tmp_path / "test_it.py").write_text(textwrap.dedent(text))
        words = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-p", "ndsim.pytest_plugin", "-q", "-rA", *options]
        done = subprocess.run([*words, "test_it.py"], cwd=tmp_path, capture_output=True, text=True)
        return done.stdout + done.stderr, done.returncode

    return run_tests


def section(said, test):
    """The part of the output about one failed test."""
    return re.search(rf"^_+ {re.escape(test)} _+$(.*?)^(_+ test_|=+ )", said, re.DOTALL | re.MULTILINE)[1]


def test_functions_run_as_ranks_with_fixtures_and_parameters(run):
    said, code = run(
        """\
        import numpy
        import pytest


        @pytest.fixture
        def factor():
            return 10


        @pytest.mark.parametrize("size", [1, 4])
        def test_sum(gpu, factor, size):
            assert gpu.world_size == 3
            x = numpy.full(size, float(factor * gpu.rank))
            gpu.all_reduce(x, units=4)
            assert x.tolist() == size * [30.0]


        class TestInAClass:
            @pytest.mark.ndsim(ranks=5, machine="dgx-h100")
            def test_own_ranks(self, gpu):
                gpu.all_reduce(bytes=1e6)
                assert gpu.world_size == 5


        def test_without_ranks():
            pass


        def test_skipped(gpu):
            gpu.barrier()
            pytest.skip("not on Sundays")
        """,
        "--ndsim-ranks=3",
    )
    assert code == 0, said
    assert "4 passed, 1 skipped" in said
    assert "not on Sundays" in said


def test_what_goes_wrong_is_told_in_lines_of_the_file(run):
    said, code = run(
        """\
        import pytest


        def test_value(gpu):
            gpu.compute(units=20 * gpu.rank)
            assert gpu.rank != 1, "one is unlucky"
            gpu.barrier()


        def test_hang(gpu):
            if gpu.rank == 0:
                gpu.receive(1, units=5)
            else:
                gpu.barrier()


        def test_mismatch(gpu):
            gpu.all_reduce(units=100 + gpu.rank)


        @pytest.mark.ndsim(watchdog=0.3)
        def test_endless(gpu):
            gpu.barrier()
            while gpu.rank == 1:
                pass
        """,
        "--ndsim-ranks=2",
    )
    assert code == 1, said
    assert "4 failed" in said
    value = section(said, "test_value")
    assert "rank 1 of 2 failed, at 2 simulated seconds:" in value
    assert 'assert gpu.rank != 1, "one is unlucky"' in value
    assert "AssertionError: one is unlucky" in value
    assert "test_it.py:6: AssertionError" in value
    hang = section(said, "test_hang")
    assert "rank 0 at test_it.py:12: gpu.receive(1, units=5)" in hang
    assert "rank 1 never sent this, and cannot any more: it is itself waiting at test_it.py:14" in hang
    mismatch = section(said, "test_mismatch")
    assert "MismatchError: collectives do not match in the world" in mismatch
    assert "rank 1 at test_it.py:18: gpu.all_reduce(units=100 + gpu.rank)" in mismatch
    endless = section(said, "test_endless")
    assert "RankHung: rank 1" in endless
    assert re.search(r"it is at test_it.py:2[45] in test_endless: ", endless)


SNAPSHOT = """\
import ndsim
import pytest


@pytest.mark.ndsim(ranks=2, snapshot=True)
def test_ranks(gpu):
    gpu.all_reduce(units={units})


def test_result(timeline_snapshot):
    timeline_snapshot(ndsim.launch(2, lambda gpu: gpu.barrier()))
"""


def test_a_timeline_that_changes_is_a_failure_until_it_is_kept_anew(run, tmp_path):
    said, code = run(SNAPSHOT.format(units=100))
    assert code == 1
    assert "2 failed" in said
    assert "no timeline is kept for this test yet" in section(said, "test_result")
    assert run(SNAPSHOT.format(units=100), "--ndsim-update")[1] == 0
    kept = json.loads((tmp_path / "test_it.timelines.json").read_text())
    before, after = (ndsim.launch(2, lambda gpu, units=units: gpu.all_reduce(units=units)) for units in (100, 300))
    assert kept["test_ranks"]["timeline_sha256"] == before.timeline_sha256
    assert run(SNAPSHOT.format(units=100))[1] == 0
    said, code = run(SNAPSHOT.format(units=300))
    assert code == 1
    assert "1 failed, 1 passed" in said
    assert f"the timeline has changed: {before.seconds:g} simulated seconds were kept, now {after.seconds:g}" in said
    assert "if this is meant: pytest --ndsim-update" in said


def test_what_cannot_be_is_refused_in_a_line(run):
    said, code = run(
        """\
        import pytest


        @pytest.mark.ndsim(rank=3)
        def test_unknown(gpu):
            pass


        @pytest.mark.ndsim(ranks=0)
        def test_none(gpu):
            pass


        @pytest.mark.ndsim(ranks=2)
        def test_without_gpu():
            pass


        @pytest.mark.ndsim_torch
        def test_both(gpu):
            pass


        @pytest.mark.ndsim(machine="dgx-h1000")
        def test_machine(gpu):
            pass
        """
    )
    assert code == 1
    assert section(said, "test_unknown").strip() == "the mark ndsim has no rank; did you mean ranks?"
    assert section(said, "test_none").strip() == "ranks must be a whole number above 0, not 0"
    assert section(said, "test_without_gpu").startswith("\nmarked with ndsim, the test has to take gpu")
    assert section(said, "test_both").startswith("\na test takes gpu or is marked with ndsim_torch")
    assert "did you mean dgx-h100" in section(said, "test_machine")
    said, code = run("def test_it():\n    pass\n", "--ndsim-ranks=none")
    assert code == 4
    assert "--ndsim-ranks" in said


def test_a_projects_own_fixture_of_that_name_stays_its_own(run):
    said, code = run(
        """\
        import pytest


        @pytest.fixture
        def gpu():
            return "cuda:0"


        def test_own(gpu):
            assert gpu == "cuda:0"
        """
    )
    assert code == 0, said
    said, code = run("import pytest\n\n\n@pytest.fixture\ndef world(gpu):\n    return gpu.world_size\n\n\ndef test_it(world):\n    pass\n")
    assert code == 1
    assert "gpu.world_size: a test has its gpu while it runs as a rank, and fixtures are made before that" in said
