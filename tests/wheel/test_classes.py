"""A grader image that a kit makes from the wheel: `setup.sh` installs it, and `run_autograder` grades with nothing else."""

import json
import os
import shutil
import subprocess
import zipfile

import pytest
from conftest import SOURCE

COURSE = SOURCE / "docs" / "labs" / "02-ring-all-reduce"
STUDENT = "ada@uni.edu"


@pytest.fixture(scope="module")
def grader(installed, wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    (folder / "roster.csv").write_text(f"email\n{STUDENT}\n")
    installed.run("ndsim", "lab", "kit", "--gradescope", "kit", "--labs", "2", "--roster", "roster.csv", "--install", wheel, cwd=folder)
    autograder = folder / "autograder"
    source = autograder / "source"
    source.mkdir(parents=True)
    zipfile.ZipFile(folder / "kit" / "02-ring-all-reduce.zip").extractall(source)
    run(["bash", source / "setup.sh"], autograder)
    shutil.copy(source / "run_autograder", autograder)
    (autograder / "submission_metadata.json").write_text(json.dumps({"users": [{"email": STUDENT}]}))
    return autograder


def run(words, folder):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", **PROXIES}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# pip's package index may be behind a proxy, or be another one.
PROXIES = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy") or name.startswith("PIP_")}


@pytest.mark.parametrize(("is_solved", "score"), [(True, 10), (False, 0)])
def test_a_grader_made_of_the_wheel_grades(installed, grader, is_solved, score):
    shutil.rmtree(grader / "submission", ignore_errors=True)
    installed.run("ndsim", "lab", "start", "2", "submission", cwd=grader)
    if is_solved:
        shutil.copy(COURSE / "solution.py", grader / "submission" / "lab.py")
    run(["bash", grader / "run_autograder"], grader)
    results = json.loads((grader / "results" / "results.json").read_text())
    assert results["score"] == score, results
