"""A plugin for pytest: test functions run as simulated ranks, and a hang is a failure with its lines.

A test that takes `gpu` is a rank program, as for ndsim.launch; one that is marked `ndsim_torch` runs like a script that torchrun
starts. See docs/pytest.md.
"""

from __future__ import annotations

import contextlib
import difflib
import faulthandler
import inspect
import json
import linecache
import os
import re
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from . import _timelines
from ._errors import Error, RankHung
from ._launch import launch
from ._rank import PACKAGE

MARKS = {
    "ndsim": "ndsim(ranks=N, machine=NAME, snapshot=True, …): run the test, which takes gpu, as that many ranks; the keywords of "
    "ndsim.launch",
    "ndsim_torch": "ndsim_torch(ranks=N, machine=NAME, snapshot=True, …): run the test as torchrun would, with torch.distributed on "
    "simulated GPUs; the keywords of ndsim.torch.launch",
}
USUAL_RANKS = 2
WATCHDOG = inspect.signature(launch).parameters["watchdog"].default


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ndsim", "tests as simulated ranks (ndsim)")
    group.addoption("--ndsim-ranks", type=number_of_ranks, default=USUAL_RANKS, metavar="N", help="default number of ranks of a test (2)")
    group.addoption("--ndsim-machine", metavar="NAME|FILE", help="default machine of tests: a name from `ndsim hardware`, or a file")
    group.addoption("--ndsim-update", action="store_true", help="save the current timelines of tests that compare theirs")


def number_of_ranks(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(text)
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    for text in MARKS.values():
        config.addinivalue_line("markers", text)


class GpuOfRanks:
    """Stands for `gpu` outside the ranks: fixtures run once, before any rank exists."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"gpu.{name}: a test has its gpu while it runs as a rank, and fixtures are made before that")


@pytest.fixture
def gpu() -> GpuOfRanks:
    """The simulated GPU of the rank that runs the test; the test runs as several ranks, each a process."""
    return GpuOfRanks()


@pytest.fixture
def timeline_snapshot(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    """Call it with the result of a launch: its timeline must equal the saved one (`--ndsim-update` saves it)."""
    return lambda result: compare_timeline(request.node, result)


def takes_gpu(item: pytest.Function) -> bool:
    """Whether the test takes this plugin's `gpu`: projects have fixtures of that name."""
    found = item._fixtureinfo.name2fixturedefs.get("gpu")
    return "gpu" in item._fixtureinfo.argnames and found is not None and found[-1].func is _function_of(gpu)


def _function_of(fixture: Any) -> Any:
    """The function behind a fixture; since pytest 8.4 a fixture is an object of its own."""
    return getattr(fixture, "_fixture_function", None) or getattr(fixture, "__wrapped__", None) or fixture.__pytest_wrapped__.obj


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    of_torch = pyfuncitem.get_closest_marker("ndsim_torch")
    if not of_torch and not takes_gpu(pyfuncitem):
        if pyfuncitem.get_closest_marker("ndsim"):
            pytest.fail("marked with ndsim, the test has to take gpu; one of torch.distributed is marked with ndsim_torch", pytrace=False)
        return None
    options = dict((of_torch or pyfuncitem.get_closest_marker("ndsim") or pytest.mark.ndsim.mark).kwargs)
    if of_torch and takes_gpu(pyfuncitem):
        pytest.fail("a test takes gpu or is marked with ndsim_torch: a rank of PyTorch has its GPUs by torch.cuda", pytrace=False)
    keeps = options.pop("snapshot", False)
    options.setdefault("ranks", pyfuncitem.config.getoption("--ndsim-ranks"))
    if not isinstance(options["ranks"], int) or options["ranks"] < 1:
        pytest.fail(f"ranks must be a whole number above 0, not {options['ranks']!r}", pytrace=False)
    if "profile" not in options and (machine := pyfuncitem.config.getoption("--ndsim-machine")):
        options.setdefault("machine", machine)
    result = run_torch(pyfuncitem, options) if of_torch else run_ranks(pyfuncitem, options)
    if keeps:
        compare_timeline(pyfuncitem, result)
    return True


def arguments_of(item: pytest.Function) -> dict[str, Any]:
    return {name: item.funcargs[name] for name in item._fixtureinfo.argnames}


class Words:
    """Outcomes of a test on its ranks: a shared file in memory, to which each rank writes a line.

    Each rank also has a file of its own, to which Python dumps its call stack periodically, because a hung rank can no longer
    tell where it is.
    """

    MOST_RANKS = 256

    def __init__(self, ranks: int, watchdog: float) -> None:
        self.file = os.fdopen(os.memfd_create("ndsim-words"), "ab+", buffering=0)
        self.calls = [os.fdopen(os.memfd_create("ndsim-calls"), "ab+", buffering=0) for _ in range(min(ranks, self.MOST_RANKS))]
        self.every = watchdog / 3

    def begin(self, rank: int) -> None:
        if rank < len(self.calls):
            faulthandler.dump_traceback_later(self.every, repeat=True, file=self.calls[rank])

    def say(self, rank: int, outcome: str, text: str) -> None:
        self.file.write(json.dumps({"rank": rank, "outcome": outcome, "text": text}).encode() + b"\n")

    def all(self) -> list[dict[str, Any]]:
        self.file.seek(0)
        return [json.loads(line) for line in self.file]

    def last_calls(self, rank: int) -> list[str]:
        """The program's own calls as lines, innermost first."""
        if rank >= len(self.calls):
            return []
        self.calls[rank].seek(0)
        last = self.calls[rank].read().decode("utf-8", "replace").rpartition("(most recent call first):")[2]
        found = []
        for name, number, function in re.findall(r'File "(.*)", line (\d+) in (.*)', last):
            if os.path.dirname(name).startswith(PACKAGE):
                break
            line = linecache.getline(name, int(number)).strip()
            found.append(f"{os.path.basename(name)}:{number} in {function}: {line}")
        return found

    def close(self) -> None:
        for each in (self.file, *self.calls):
            each.close()


def run_ranks(item: pytest.Function, options: dict[str, Any]) -> Any:
    """Run the test as forked ranks, which inherit its fixtures."""
    settings = {"title": item.name, "lines_of": str(item.path), **options}
    refuse_unknown(launch, settings)
    words = Words(options["ranks"], float(options.get("watchdog", WATCHDOG)))
    function, arguments = item.obj, arguments_of(item)

    def be_rank(gpu: Any) -> None:
        words.begin(gpu.rank)
        try:
            function(**{**arguments, "gpu": gpu})
        except pytest.skip.Exception as skipped:
            words.say(gpu.rank, "skipped", str(skipped))
            raise
        except (Exception, pytest.fail.Exception):
            words.say(gpu.rank, "failed", str(item.repr_failure(pytest.ExceptionInfo.from_current())))
            raise

    with contextlib.closing(words):
        try:
            return launch(settings.pop("ranks"), be_rank, **settings)
        except Error as caught:
            error, told = caught, how_it_failed(caught, words, options["ranks"])
    if error.result is not None and error.result.ops:
        item.add_report_section("call", "timeline", error.result.text(100))
    raise told


def how_it_failed(error: Error, words: Words, ranks: int) -> BaseException:
    """The failure of the rank that ended the run; the others were only waiting for it."""
    said = words.all()
    for each in said:
        if each["outcome"] == "skipped":
            return pytest.skip.Exception(each["text"])
    for each in said:
        if each["rank"] == error.rank:
            at = f", at {error.result.seconds:g} simulated seconds" if error.result else ""
            return pytest.fail.Exception(f"rank {error.rank} of {ranks} failed{at}:\n{each['text']}", pytrace=False)
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, RankHung) and error.rank is not None:
        text += "".join(f"\n  it is at {each}" for each in words.last_calls(error.rank))
    return pytest.fail.Exception(text, pytrace=False)


def refuse_unknown(function: Callable[..., Any], settings: dict[str, Any]) -> None:
    """Fail on unknown keywords of a mark, before anything runs."""
    known = [name for name in inspect.signature(function).parameters if name not in ("program", "args")]
    for name in settings:
        if name not in known:
            near = difflib.get_close_matches(name, [*known, "snapshot"], 1)
            meant = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)} and snapshot"
            pytest.fail(f"the mark ndsim has no {name}{meant}", pytrace=False)


def fail(error: Error, said: list[dict[str, Any]], ranks: int) -> NoReturn:
    """Fail like the rank that ended the run; the others were only waiting for it."""
    for words in said:
        if words["outcome"] == "skipped":
            pytest.skip(words["text"])
    for words in said:
        if words["rank"] == error.rank:
            at = f", at {error.result.seconds:g} simulated seconds" if error.result else ""
            pytest.fail(f"rank {error.rank} of {ranks} failed{at}:\n{words['text']}", pytrace=False)
    pytest.fail(f"{type(error).__name__}: {error}", pytrace=False)


def show_timeline(item: pytest.Function, error: Error) -> None:
    if error.result is not None and error.result.ops:
        item.add_report_section("call", "timeline", error.result.text(100))


def run_torch(item: pytest.Function, options: dict[str, Any]) -> Any:
    """Run the test as ranks of torch.distributed, in fresh processes; the test's module is sent along by value."""
    from ndsim.torchrun.function.caller import launch as launch_torch

    def rank() -> None:
        function(**arguments)

    function, arguments = item.obj, arguments_of(item)
    try:
        with _by_value(item.module):
            return launch_torch(rank, **options)
    except Error as caught:
        error = caught
    pytest.fail(f"{type(error).__name__}: {error}", pytrace=False)


class _by_value:
    """Makes cloudpickle send the module by value: a fresh process could not import it, and pytest would not rewrite its
    assertions there."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __enter__(self) -> None:
        try:
            import cloudpickle
        except ImportError:
            pytest.fail("tests that are marked with ndsim_torch need cloudpickle: `pip install cloudpickle`", pytrace=False)
        self.cloudpickle = cloudpickle
        cloudpickle.register_pickle_by_value(self.module)

    def __exit__(self, *_: object) -> None:
        self.cloudpickle.unregister_pickle_by_value(self.module)


def compare_timeline(item: pytest.Item, result: Any) -> None:
    """Fail if the timeline of the run differs from the one saved for this test."""
    kept = _timelines.Kept(item.path)
    name = item.nodeid.partition("::")[2]
    now = _timelines.facts_of(result)
    if item.config.getoption("--ndsim-update"):
        kept.keep(name, now)
        return
    if wrong := _timelines.difference(kept.of(name), now):
        pytest.fail(f"{wrong}\n  {os.path.relpath(kept.file)}; if this is meant: pytest --ndsim-update", pytrace=False)
