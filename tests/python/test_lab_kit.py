"""`ndsim lab kit` writes archives for Gradescope, Autolab and GitHub Classroom; each is tried on a stand-in of that system.

A stand-in follows the system's documentation: the location of files, the command that runs, and how the result is read.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

ROSTER = 'First Name,Last Name,SID,Email,github_username\nAda,"Lovelace, Lady",101,Ada@uni.edu,ada-l\nBob,Best,102,bob@uni.edu,\n'
COURSE = pathlib.Path(__file__).parents[2] / "docs" / "labs" / "02-ring-all-reduce"
SOLUTION = (COURSE / "solution.py").read_text()
UNWRITTEN = "from ndsim import lab\n\n\ndef program(gpu, given):\n    lab.gap(gpu, \"write it here\")\n\n\nlab.run(program)\n"


class Class:
    """A class with its roster, and the commands of ndsim."""

    def __init__(self, folder, bin_dir):
        self.folder = folder
        self.bin_dir = bin_dir
        (folder / "roster.csv").write_text(ROSTER)

    def ndsim(self, *words, code=0):
        done = subprocess.run([self.bin_dir / "ndsim", "lab", *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def kit(self, system, *options):
        self.ndsim("kit", system, "kit", "--labs", "2", "--roster", "roster.csv", "--class", "cs 149", *options)
        return self.folder / "kit"

    def seed(self, student):
        with open(self.folder / "kit" / "students.csv", newline="") as file:
            return {row["student"]: row["seed"] for row in csv.DictReader(file)}[student]


@pytest.fixture
def course(tmp_path, bin_dir):
    return Class(tmp_path, bin_dir)


def run(words, folder, bin_dir, **environment):
    """Runs with an environment that has only the path to ndsim."""
    path = os.pathsep.join(filter(None, [str(bin_dir), os.environ["PATH"]]))
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, env={"PATH": path, "HOME": str(folder), **environment})


# Gradescope: https://gradescope-autograders.readthedocs.io, specs and submission_metadata.
def gradescope(archive, folder, bin_dir, files, users):
    """Grade these users' files; returns results.json."""
    autograder = folder / "autograder"
    source = autograder / "source"
    source.mkdir(parents=True)
    with zipfile.ZipFile(archive) as zipped:
        assert zipped.testzip() is None
        for each in zipped.infolist():
            zipped.extract(each, source)
            (source / each.filename).chmod(each.external_attr >> 16)
    shutil.copy(source / "run_autograder", autograder)
    for name, text in files.items():
        (autograder / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
        (autograder / "submission" / name).write_text(text)
    metadata = {"id": 1, "users": [{"email": user, "id": 7, "name": "Some Body"} for user in users], "previous_submissions": []}
    (autograder / "submission_metadata.json").write_text(json.dumps(metadata))
    done = run([autograder / "run_autograder"], autograder, bin_dir)
    results = json.loads((autograder / "results" / "results.json").read_text())
    assert done.returncode == 0, done.stderr
    assert isinstance(results["score"], (int, float))
    for test in results.get("tests", []):
        assert test["score"] <= test["max_score"] and test["status"] in ("passed", "failed")
    return results


def test_gradescope_grades_each_student_with_a_seed_of_their_own(course, tmp_path, bin_dir):
    archive = course.kit("--gradescope", "--points", "20") / "02-ring-all-reduce.zip"
    results = gradescope(archive, tmp_path / "1", bin_dir, {"lab.py": SOLUTION}, ["ada@uni.edu"])
    assert (results["score"], results["passed"], results["seed"]) == (20, True, int(course.seed("Ada@uni.edu")))
    assert results["desk"] == "not there"
    results = gradescope(archive, tmp_path / "2", bin_dir, {"02-ring-all-reduce/lab.py": UNWRITTEN}, ["bob@uni.edu"])
    assert (results["score"], results["seed"]) == (0, int(course.seed("bob@uni.edu")))
    assert course.seed("bob@uni.edu") != course.seed("Ada@uni.edu")


def test_gradescope_says_why_it_could_not_grade(course, tmp_path, bin_dir):
    archive = course.kit("--gradescope") / "02-ring-all-reduce.zip"
    results = gradescope(archive, tmp_path / "1", bin_dir, {"lab.py": SOLUTION}, ["eve@uni.edu"])
    assert (results["score"], results["max_score"]) == (0, 10)
    assert results["output"].startswith("eve@uni.edu is not in the roster of this class.")
    results = gradescope(archive, tmp_path / "2", bin_dir, {"notes.txt": "x"}, ["ada@uni.edu"])
    assert results["output"] == "There is no lab.cpp or lab.py in what was handed in."
    results = gradescope(archive, tmp_path / "3", bin_dir, {"lab.py": "x", "lab.cpp": "x"}, ["ada@uni.edu"])
    assert results["output"] == "There are several programs in what was handed in: lab.cpp and lab.py. Hand in one."
    without = tmp_path / "without"
    without.mkdir()
    (without / "ndsim").write_text("#!/bin/sh\necho 'there is no NumPy' >&2\nexit 7\n")
    (without / "ndsim").chmod(0o755)
    results = gradescope(archive, tmp_path / "4", without, {"lab.py": SOLUTION}, ["ada@uni.edu"])
    assert results == {"score": 0, "output": "This could not be graded (exit code 7); tell your instructor.\nthere is no NumPy\n"}


def test_gradescopes_setup_installs_the_wheel_that_came_along(course, tmp_path, bin_dir):
    pytest.importorskip("ensurepip")
    wheel = tmp_path / "ndsim-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as zipped:
        program = zipfile.ZipInfo("ndsim-0.1.0.data/scripts/ndsim")
        program.external_attr = 0o100755 << 16
        zipped.writestr(program, f'#!/bin/sh\nexec "{bin_dir}/ndsim" "$@"\n')
        zipped.writestr("ndsim-0.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: ndsim\nVersion: 0.1.0\n")
        zipped.writestr("ndsim-0.1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        zipped.writestr("ndsim-0.1.0.dist-info/RECORD", "")
    source = course.kit("--gradescope", "--install", wheel) / "02-ring-all-reduce"
    done = run(["bash", source / "setup.sh"], source, "", PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("ndsim ")
    assert (source.parent / "ndsim" / "bin" / "ndsim").exists()


# Autolab: docs.autolabproject.com, "Guide for Lab Authors"; parseAutoresult below is Autolab's.
def autolab_scores(said):
    last = said.splitlines()[-1]
    return json.loads(re.sub(r"([a-zA-Z0-9]+):", r'"\1":', last))["scores"]


def autolab(assessments, folder, bin_dir, program, student):
    """Grade a student's program; returns the scores by problem."""
    with tarfile.open(assessments) as tar:
        tar.extractall(folder, filter="data") if sys.version_info >= (3, 12) else tar.extractall(folder)
    name = "ndsimlab02"
    settings = (folder / name / f"{name}.yml").read_text()
    assert f"  name: {name}\n" in settings and "- name: ndsim\n" in settings and "  handin_filename: lab.py\n" in settings
    assert "module Ndsimlab02" in (folder / name / f"{name}.rb").read_text()
    machine = folder / "machine"
    machine.mkdir()
    shutil.copy(folder / name / "autograde-Makefile", machine / "Makefile")
    shutil.copy(folder / name / "autograde.tar", machine)
    (machine / "lab.py").write_text(program)
    (machine / "student").write_text(student)
    return autolab_scores(run(["make"], machine, bin_dir).stdout)


def test_autolab_reads_the_score_of_its_problem_in_the_last_line(course, tmp_path, bin_dir):
    assessments = course.kit("--autolab") / "assessments.tar"
    assert autolab(assessments, tmp_path / "1", bin_dir, SOLUTION, "ada@uni.edu") == {"ndsim": 10}
    assert autolab(assessments, tmp_path / "2", bin_dir, UNWRITTEN, "bob@uni.edu") == {"ndsim": 0}
    assert autolab(assessments, tmp_path / "3", bin_dir, SOLUTION, "eve@uni.edu") == {"ndsim": 0}


# GitHub Classroom: a grader runs a step's command in the repository, with PATH and HOME set; exit code 0 passes.
def classroom(template, folder, bin_dir, repository, files):
    shutil.copytree(template, folder)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    workflow = (folder / ".github" / "workflows" / "classroom.yml").read_text()
    runners = re.search(r"runners: (.*)", workflow)[1].split(",")
    steps = dict(re.findall(r"id: (\S+)\n.*?command: \"(ndsim .*?)\"\n", workflow, re.DOTALL))
    assert sorted(steps) == sorted(runners)
    assert all(f'{each.upper()}_RESULTS: "${{{{steps.{each}.outputs.result}}}}"' in workflow for each in runners)
    commands = [command.replace("${{ github.repository }}", repository) for command in steps.values()]
    return [run(["bash", "-c", command], folder, bin_dir).returncode == 0 for command in commands]


def test_github_classroom_knows_a_student_by_the_repositorys_name(course, tmp_path, bin_dir):
    template = course.kit("--github-classroom") / "template"
    solved = {"02-ring-all-reduce/lab.py": SOLUTION}
    assert classroom(template, tmp_path / "1", bin_dir, "uni/cs-149-labs-ada-l", solved) == [True]
    assert classroom(template, tmp_path / "2", bin_dir, "uni/cs-149-labs-eve", solved) == [False]
    assert classroom(template, tmp_path / "3", bin_dir, "uni/cs-149-labs-ada-l", {}) == [False]
    assert "ndsim lab start N --python --student YOUR_GITHUB_ACCOUNT --class 'cs 149'" in (template / "README.md").read_text()


def test_a_students_own_desk_has_the_numbers_of_the_grader(course, tmp_path, bin_dir):
    archive = course.kit("--gradescope") / "02-ring-all-reduce.zip"
    course.ndsim("start", 2, "desk", "--python", "--student", " ADA@uni.edu", "--class", "cs 149")
    desk = tmp_path / "desk"
    (desk / "lab.py").write_text(SOLUTION)
    course.ndsim("check", 2, "desk", "--predict", "1s")
    files = {name: (desk / name).read_text() for name in ("lab.py", "lab.json")}
    results = gradescope(archive, tmp_path / "1", bin_dir, files, ["ada@uni.edu"])
    assert (results["score"], results["desk"], results["prediction"]["predicted"]) == (10, "signed", 1)
    results = gradescope(archive, tmp_path / "2", bin_dir, files, ["bob@uni.edu"])
    assert (results["score"], results["desk"], results["prediction"]) == (10, "of another seed", None)
    files["lab.json"] = files["lab.json"].replace('"1s"', '"24us"')
    results = gradescope(archive, tmp_path / "3", bin_dir, files, ["ada@uni.edu"])
    assert (results["score"], results["desk"], results["prediction"]) == (10, "changed", None)
    assert results["output"] == "passed\nlab.json was changed by hand: the prediction and the attempts in it do not count."


def test_a_kit_names_no_student_but_in_the_instructors_own_list(course):
    kit = course.kit("--gradescope")
    for file in kit.rglob("*"):
        if file.is_file() and file.name not in ("students.csv", "README.md"):
            assert b"uni.edu" not in file.read_bytes().lower(), file
    assert (kit / "02-ring-all-reduce" / "seeds.csv").read_text().count("\n") == 1 + 5  # each by email, SID and account


def test_a_student_who_joins_later_changes_nobodys_seed(course, tmp_path):
    before = course.kit("--autolab") and course.seed("bob@uni.edu")
    (tmp_path / "roster.csv").write_text("email\nzoe@uni.edu\nbob@uni.edu\n")
    shutil.rmtree(tmp_path / "kit")
    course.kit("--autolab")
    assert course.seed("bob@uni.edu") == before
    assert not tarfile.open(tmp_path / "kit" / "assessments.tar").getmember("ndsimlab02/autograde.tar").isdir()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("kit --gradescope --autolab x --labs 1 --roster roster.csv", "a kit is for one system: give one of"),
        ("kit --gradescope x --roster roster.csv", "--labs is missing: the labs, such as 1-8"),
        ("kit --gradescope x --labs 1-3", "--roster is missing"),
        ("kit --gradescope x --labs 8-1 --roster roster.csv", "--labs must be numbers such as 1-8 or 2,5,7, not 8-1"),
        ("kit --gradescope x --labs 1-99 --roster roster.csv", 'there is no lab "17"'),
        ("kit --gradescope . --labs 1 --roster roster.csv", ". already exists and is not empty"),
        ("kit --gradescope x --labs 1 --roster roster.csv --points 0", "--points must be a number above 0, not 0"),
        ("kit --gradescope x --labs 1 --roster roster.csv --install x.whl", "--install: there is no file x.whl"),
        ("kit --gradescope x --labs 1 --roster roster.csv --class $(id)", "--class must consist of letters, digits"),
        ("kit --gradescope x --labs 1 --roster names.csv", "names.csv:1: the first line must name the columns"),
        ("kit --gradescope x --labs 1 --roster twice.csv", "twice.csv:3: A@b.c is in line 2 already"),
        ("kit --gradescope x --labs 1 --roster hole.csv", "hole.csv:2: this student has no email, SID or github_username"),
        ("kit --github-classroom x --labs 1 --roster twice_not.csv", "the roster has no column github_username"),
        ("grade 2 roster.csv --student a@b.c", "--seeds is missing"),
        ("grade 2 roster.csv --seeds roster.csv --student a@b.c", "roster.csv:1: these are no seeds of a class"),
        ("grade 2 . --student a --seeds b --seed 7", "--seed and a student both set the seed"),
        ("grade 2 nowhere", "there is no nowhere"),
        ("grade 2 . --metadata roster.csv --seeds x", "not Gradescope's submission_metadata.json"),
        ("grade 2 . --student a --repository b --seeds x", "give one of them"),
        ("start 2 --student a --seed 7", "--seed and --student both set the seed"),
        ("start 2 --class a", "--class needs --student"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line_and_leaves_nothing(course, tmp_path, words, line):
    (tmp_path / "names.csv").write_text("name\nAda\n")
    (tmp_path / "twice.csv").write_text("email\na@b.c\nA@b.c\n")
    (tmp_path / "twice_not.csv").write_text("email\na@b.c\n")
    (tmp_path / "hole.csv").write_text("name,email\nAda,\n")
    said = course.ndsim(*words.split(), code=2)
    assert line in said
    assert said.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_no_line_of_a_solution_is_in_the_program_or_the_package(bin_dir):
    check = pathlib.Path(__file__).parents[1] / "labs" / "no_solutions.sh"
    done = subprocess.run([check, bin_dir / "ndsim", bin_dir.parent / "python" / "ndsim"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([check, COURSE], capture_output=True).returncode == 1
