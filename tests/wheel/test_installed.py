"""The wheel in an environment with nothing else."""

import json
import pathlib
import re
import resource
import shutil
import subprocess

import pytest
from conftest import BUILD, SOURCE, Environment, make_environment

LABS = sorted(folder for folder in (SOURCE / "docs" / "labs").iterdir() if (folder / "solution.py").exists())


def version_of_the_project():
    return re.search(r"^project\(ndsim VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_first_minutes_take_less_than_one(wheel, tmp_path):
    began = processor_seconds()
    here = make_environment(tmp_path / "venv", wheel)
    # Exit code 1 is the answer: with default options the step does not fit into memory.
    assert "with --zero 2 it would" in here.run("ndsim", "train", "--model", "llama3-8b", "--gpus", "8", code=1)
    assert "16.1" in here.run("1d_data_parallel", "--quiet")
    assert "lab.py" in here.run("ndsim", "lab", "start", "2", cwd=tmp_path)
    assert "write the ring all-reduce here" in here.run("ndsim", "lab", "check", "2", cwd=tmp_path, code=1)
    # Someone alone at a machine waits no longer than this; other load on the test machine does not count.
    assert processor_seconds() - began < 60


def test_all_say_the_same_version(wheel, installed):
    version = version_of_the_project()
    assert installed.run("ndsim", "--version") == f"ndsim {version}\n"
    assert installed.run("4d_hybrid", "--version") == f"ndsim {version}\n"
    asked = "import importlib.metadata, ndsim; print(ndsim.__version__, importlib.metadata.version('ndsim'))"
    assert installed.run("python", "-c", asked) == f"{version} {version}\n"
    assert wheel.name.startswith(f"ndsim-{version}-")


def test_programs_print_what_those_of_the_build_print(installed):
    for line in (["ndsim", "hardware", "--json"], ["ndsim", "models", "--json"], ["communication_profile", "--json"]):
        theirs = subprocess.run([BUILD / "bin" / line[0], *line[1:]], capture_output=True, text=True, check=True).stdout
        assert installed.run(*line) == theirs, line


def test_a_scenario_has_the_timeline_that_the_builds_has(installed):
    line = ["3d_pipeline_parallel", "--quiet", "--json"]
    theirs = json.loads(subprocess.run([BUILD / "bin" / line[0], *line[1:]], capture_output=True, text=True, check=True).stdout)
    assert json.loads(installed.run(*line))["timeline_sha256"] == theirs["timeline_sha256"]


def test_a_moved_environment_works_as_before(installed, tmp_path):
    shutil.copytree(installed.folder, tmp_path / "moved venv", symlinks=True)
    moved = Environment(tmp_path / "moved venv")
    assert "moved venv" in moved.run("python3", "-c", "import ndsim; print(ndsim.__file__)")
    assert "16.1" in moved.run("1d_data_parallel", "--quiet")
    check_python_lab(moved, LABS[2], tmp_path)


def test_programs_beside_another_ndsim_are_those_of_their_own_folder(installed, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for name in ("ndsim", "python3", f"python3.{__import__('sys').version_info[1]}"):
        (other / name).write_text("#!/bin/sh\necho another one; exit 1\n")
        (other / name).chmod(0o755)
    path = f"{other}:/usr/bin:/bin"
    assert "16.1" in installed.run("1d_data_parallel", "--quiet", PATH=path)
    check_python_lab(installed, LABS[2], tmp_path, PATH=path)


def test_a_scenario_without_ndsim_beside_it_says_so_in_a_line(installed, tmp_path):
    shutil.copytree(installed.bin, tmp_path / "bin", symlinks=True)
    (tmp_path / "bin" / "ndsim").unlink()
    said = Environment(tmp_path).run("4d_hybrid", code=7)
    assert said == f"4d_hybrid: {tmp_path}/bin/ndsim cannot be started: No such file or directory; install ndsim again\n"


def test_the_doctor_advises_nothing_that_wants_the_sources(installed):
    checks = json.loads(installed.run("ndsim", "doctor", "--json"))["checks"]
    assert [check["repair"] for check in checks if "build again" in check["repair"] or "tools/" in check["repair"]] == []
    assert "C++ compiler" not in [check["name"] for check in checks]


def test_a_lab_in_cpp_says_what_it_needs(installed, tmp_path):
    subprocess.run([BUILD / "bin" / "ndsim", "lab", "start", "2", tmp_path / "desk"], check=True, capture_output=True)
    said = installed.run("ndsim", "lab", "check", "2", tmp_path / "desk", code=7)
    assert "lab.cpp: labs in C++ need the headers and libraries of ndsim, which its Python package does not have" in said


def check_python_lab(environment, lab, folder, **variables):
    desk = folder / lab.name
    environment.run("ndsim", "lab", "start", int(lab.name[:2]), desk, "--python", **variables)
    shutil.copy(lab / "solution.py", desk / "lab.py")
    said = environment.run("ndsim", "lab", "check", int(lab.name[:2]), desk, "--json", **variables)
    assert json.loads(said)["passed"] is True


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_right_program_in_python_passes(installed, lab, tmp_path):
    check_python_lab(installed, lab, tmp_path)


def run_page(environment, page, folder, **variables):
    """Runs the commands of a page with the installed wheel, without a source tree."""
    text = (SOURCE / "docs" / page).read_text().replace("PYTHONPATH=build/python ", "").replace("build/bin/", "")
    (folder / page).write_text(text)
    for name in ("nothing", "no_build"):
        (folder / name).mkdir()
    runner = SOURCE / "tests" / "docs" / "run_page.sh"
    settings = {"PATH": f"{environment.bin}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", **variables}
    done = subprocess.run([runner, folder / page, folder / "nothing", folder / "no_build", folder / "run"], env=settings,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_page_on_python_runs_from_the_wheel_alone(wheel, tmp_path):
    run_page(make_environment(tmp_path / "venv", wheel, "pandas"), "python.md", tmp_path)
