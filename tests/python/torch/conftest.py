"""Fixtures that the tests of ndsim.torchrun share: scripts run as a user would run them."""

import json
import textwrap

import pytest

from forked import forked
from real_ranks import RealRanks


@pytest.fixture(scope="session")
def real_ranks():
    """A folder and command-line words -> how the same ranks ended as real processes over gloo."""
    launcher = RealRanks()
    yield launcher.run
    launcher.end()


@pytest.fixture
def command(tmp_path):
    """Command-line words -> how `python3 -m ndsim.torchrun` ended, in a folder of its own."""

    def run(*words):
        return forked(tmp_path, words)

    return run


@pytest.fixture
def script(tmp_path, command):
    """A script and options -> how it ended. The script is train.py in its working directory."""

    def run(text, *options, arguments=()):
        (tmp_path / "train.py").write_text(textwrap.dedent(text).lstrip("\n"))
        return command(*options, "train.py", *arguments)

    return run


@pytest.fixture
def printed(script):
    """A script and options -> the lines that its ranks print, sorted."""

    def run(text, *options, arguments=()):
        done = script(text, "--json", *options, arguments=arguments)
        assert done.returncode == 0, done.stderr
        return sorted(done.stderr.splitlines())

    return run


@pytest.fixture
def answer(script):
    """A script and options -> the JSON object of its run."""

    def run(text, *options, arguments=(), code=0):
        done = script(text, "--json", *options, arguments=arguments)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return run
