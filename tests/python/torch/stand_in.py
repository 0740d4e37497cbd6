"""Finds Pythons with a CUDA build of PyTorch, and runs scripts in each of them on the stand-in for a GPU."""

import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

from ndsim.torch.making import compiler, installed

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]


def pythons():
    """The Pythons to try: this one, and those in NDSIM_TORCH_PYTHON, separated by colons."""
    named = [python for python in os.environ.get("NDSIM_TORCH_PYTHON", "").split(":") if python]
    return list(dict.fromkeys([sys.executable, *named]))


@functools.cache
def torch_of(python):
    """The PyTorch of a Python, or None."""
    code = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s and s.origin else '')"
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    if said.returncode != 0 or not said.stdout.strip():
        return None
    torch = installed.torch_at(pathlib.Path(said.stdout.strip()).parent)
    return torch if torch.release >= installed.OLDEST else None


def cuda_pythons():
    """The Pythons with a CUDA build, by its version."""
    found = {python: torch_of(python) for python in pythons()}
    return {torch.version: python for python, torch in found.items() if torch is not None and torch.cuda}


@functools.cache
def library():
    """The compiled stand-in, which lives as long as this process."""
    folder = tempfile.TemporaryDirectory(prefix="ndsim-stand-in-")
    made = pathlib.Path(folder.name) / "stand_in_gpu.so"
    found = compiler.find_compiler()
    found.run(["-std=c++20", "-O1", "-shared", "-fPIC", f"-I{ROOT}", str(HERE / "stand_in_gpu.cpp"), "-o", str(made)])
    return made, folder


def run(python, script, folder, **settings):
    """The lines that a script prints on the stand-in. Settings are environment variables."""
    path = folder / "script.py"
    path.write_text(textwrap.dedent(script))
    done = subprocess.run([python, str(HERE / "with_stand_in.py"), str(library()[0]), str(path)],
                          env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
