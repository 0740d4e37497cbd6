"""Fixtures with the wheel made by run.sh: unpacked, and installed in a virtual environment."""

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["NDSIM_BUILD"])


class Environment:
    """A virtual environment, whose commands run without this process's variables and with nothing else on the path."""

    def __init__(self, folder):
        self.folder = folder

    @property
    def bin(self):
        return self.folder / "bin"

    def run(self, *words, cwd=None, code=0, **variables):
        """Runs a command of the environment; returns standard output, or both outputs if it is expected to fail."""
        settings = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder.parent), "LC_ALL": "C.UTF-8", **variables}
        done = subprocess.run([self.bin / words[0], *map(str, words[1:])], cwd=cwd or self.folder.parent, env=settings, text=True,
                              capture_output=True, check=False)
        assert done.returncode == code, f"{words}: exit code {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout if code == 0 else done.stdout + done.stderr


def make_environment(folder, *packages):
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    made = Environment(folder)
    made.run("pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", *packages)
    return made


@pytest.fixture(scope="session")
def wheel():
    (file,) = (BUILD / "wheel" / "dist").glob("*.whl")
    return file


@pytest.fixture(scope="session")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """An environment with only the wheel and its dependencies."""
    return make_environment(tmp_path_factory.mktemp("installed") / "venv", wheel)
