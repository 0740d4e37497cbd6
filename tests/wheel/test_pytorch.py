"""The wheel alongside PyTorch, in an environment made by tools/torch_environment.sh in the build."""

import json
import shutil
import subprocess

import pytest
from conftest import BUILD, SOURCE, make_environment
from test_installed import run_page

PYTORCH = list((BUILD / "torch").glob("lib/python3*/site-packages"))
LABS = sorted(folder for folder in (SOURCE / "docs" / "labs").iterdir() if (folder / "train_solution.py").exists())

pytestmark = pytest.mark.skipif(not PYTORCH, reason="tools/torch_environment.sh has not made build/torch")

CACHE = {"NDSIM_TORCH_CACHE": str(BUILD / "torch-slot")}


@pytest.fixture(scope="session")
def beside_pytorch(wheel, tmp_path_factory):
    """An environment that also finds PyTorch's packages, and whose own packages are read-only."""
    here = make_environment(tmp_path_factory.mktemp("beside_pytorch") / "venv", "--no-deps", wheel)
    (packages,) = here.folder.glob("lib/python3*/site-packages")
    (packages / "pytorch.pth").write_text(str(PYTORCH[0]))
    subprocess.run(["chmod", "-R", "a-w", packages], check=True)
    yield here
    subprocess.run(["chmod", "-R", "u+w", packages], check=True)


def test_the_page_on_pytorch_runs_from_the_wheel_alone(beside_pytorch, tmp_path):
    run_page(beside_pytorch, "torch.md", tmp_path, **CACHE)


def test_without_a_compiler_one_line_says_what_is_missing(beside_pytorch, tmp_path):
    (tmp_path / "train.py").write_text("import torch\n")
    said = beside_pytorch.run("python", "-m", "ndsim.torchrun", tmp_path / "train.py", code=7, PATH=str(beside_pytorch.bin),
                              NDSIM_TORCH_CACHE=str(tmp_path))
    assert said.count("\n") == 1 and said.startswith("ndsim.torchrun: no C++ compiler was found"), said


def test_without_pytorch_one_line_says_what_is_missing(installed, tmp_path):
    (tmp_path / "train.py").write_text("import torch\n")
    said = installed.run("python", "-m", "ndsim.torchrun", tmp_path / "train.py", code=7)
    assert said.count("\n") == 1 and said.startswith("ndsim.torchrun: there is no PyTorch in"), said


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_right_script_passes(beside_pytorch, lab, tmp_path):
    number, desk = int(lab.name[:2]), tmp_path / "desk"
    beside_pytorch.run("ndsim", "lab", "start", number, desk, "--torch")
    shutil.copy(lab / "train_solution.py", desk / "train.py")
    assert json.loads(beside_pytorch.run("ndsim", "lab", "check", number, desk, "--json", **CACHE))["passed"] is True
