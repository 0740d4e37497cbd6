"""The contents of the wheel, and the systems that it supports."""

import os
import pathlib
import re
import subprocess

from conftest import SOURCE

PROGRAMS = {"ndsim", "0d_sequential", "1d_data_parallel", "2d_tensor_parallel", "3d_pipeline_parallel", "4d_hybrid", "distributed_hello",
            "communication_profile"}

# Libraries of every manylinux system.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}


def names_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def binaries_in(folder):
    return [path for path in folder.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]


def needed_by(binary):
    said = subprocess.run(["readelf", "-d", binary], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", said)), re.findall(r"\((?:RPATH|RUNPATH)\).*", said)


def test_the_wheel_is_smaller_than_15_megabytes(wheel):
    assert wheel.stat().st_size < 15e6


def test_the_wheel_is_for_systems_as_old_as_what_it_calls(wheel):
    # A newer function, such as std::hypot's in glibc 2.35, would make the tag newer. From glibc 2.38 on, headers refer to newer ones.
    built_on = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
    oldest = 34 if int(built_on.split(".")[1]) < 38 else 38
    assert f"manylinux_2_{oldest}_x86_64" in wheel.name


def test_binaries_need_the_c_library_and_look_nowhere_else(unpacked):
    binaries = binaries_in(unpacked)
    assert len(binaries) == len(PROGRAMS) + 1
    for binary in binaries:
        libraries, paths = needed_by(binary)
        assert libraries <= OF_THE_SYSTEM and paths == [], binary


def test_the_wheel_has_every_program_and_no_other(unpacked):
    (scripts,) = unpacked.glob("*.data/scripts")
    assert {path.name for path in scripts.iterdir()} == PROGRAMS


def test_the_module_shows_nothing_but_its_beginning(unpacked):
    (module,) = (unpacked / "ndsim").glob("_ndsim*.so")
    said = subprocess.run(["nm", "--dynamic", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in said.splitlines()] == ["PyInit__ndsim"]


def test_the_package_has_every_python_file_of_the_sources(unpacked):
    listed = subprocess.run(["git", "ls-files", "tools/python/ndsim"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout
    wanted = {line.removeprefix("tools/python/") for line in listed.split()}
    assert wanted - names_in(unpacked) == set()


def test_the_package_has_what_is_compiled_on_the_users_machine(unpacked):
    listed = subprocess.run(["git", "ls-files", "tools/torch/slot"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout
    wanted = {line.replace("tools/torch/", "ndsim/torch/") for line in listed.split() if pathlib.Path(line).suffix != ".md"}
    assert wanted - names_in(unpacked) == set()
    assert "ndsim/torch/seam.hpp" in names_in(unpacked)


def test_no_file_of_the_wheel_is_a_solution_or_bytecode(unpacked):
    assert [name for name in names_in(unpacked) if "solution" in name or name.endswith(".pyc")] == []


def test_no_file_of_the_wheel_has_a_line_of_a_solution(unpacked):
    done = subprocess.run([SOURCE / "tests" / "labs" / "no_solutions.sh", unpacked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_file_of_the_wheel_knows_the_folder_that_it_was_built_in(unpacked):
    folder = str(SOURCE).encode()
    assert [name for name in names_in(unpacked) if folder in (unpacked / name).read_bytes()] == []
