"""reuse_objects.py BUILD LOG COMPILER ARGUMENT...: a launcher (CMAKE_CXX_COMPILER_LAUNCHER) for a build that has ndsim inside it.

Copies an ndsim object if BUILD has compiled it from the same source with the same options, and compiles everything else. Options that
change no object may differ (warnings, precompiled headers that the source includes anyway). LOG gets one line per object: `reused` or
`compiled`, and the object.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def options(words: list[str]) -> list[str]:
    """The compiler's arguments that determine the object, in order: without files, warning options and options that look for headers."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in ("-o", "-c", "-MT", "-MF", "-include", "-isystem"):
            next(rest)
        elif not re.match(r"-(W|M|I)|-pedantic", word):
            kept.append(word)
    return kept


def after(words: list[str], option: str) -> str:
    """The argument that follows an option."""
    return words[words.index(option) + 1]


def text(file: pathlib.Path, build: pathlib.Path) -> str | None:
    """The text of a source, or None if it does not exist; in a generated source, that build's path is removed."""
    return file.read_text().replace(str(build), "BUILD") if file.exists() else None


def same_source(one: str, its_build: pathlib.Path, other: str, build: pathlib.Path) -> bool:
    """Whether two builds compile the same: the same file, or generated files that include the same."""
    if one == other:
        return True
    first = text(pathlib.Path(one), its_build)
    if first is None or first != text(pathlib.Path(other), build):
        return False
    made = re.findall(r'#include "BUILD/([^"]+)"', first)
    return all(text(its_build / name, its_build) == text(build / name, build) for name in made)


def compiled_already(words: list[str], build: pathlib.Path) -> pathlib.Path | None:
    """The object in BUILD that is identical to the one that the arguments would make."""
    mine = pathlib.Path(after(words, "-o"))
    # …/_deps/ndsim-build/libsim/CMakeFiles/… here is libsim/CMakeFiles/… there.
    found = re.match(r"(.*_deps/ndsim-build)/(.*)", str(mine.absolute()))
    if not found:
        return None
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if f" -o {found[2]} " not in entry["command"]:
            continue
        theirs = shlex.split(entry["command"])
        same = options(words) == options(theirs[1:]) and same_source(
            after(words, "-c"), pathlib.Path(found[1]), after(theirs, "-c"), build)
        ready = build / found[2]
        return ready if same and ready.exists() else None
    return None


def main() -> int:
    """Copies an object or compiles it."""
    build, log, compiler, words = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    ready = compiled_already(words, build) if "-c" in words and "-o" in words else None
    with open(log, "a") as file:
        file.write(f"{'compiled' if ready is None else 'reused'} {after(words, '-o') if '-o' in words else words}\n")
    if ready is None:
        return subprocess.call([compiler, *words])
    shutil.copyfile(ready, after(words, "-o"))
    if "-MF" in words:  # dependencies are not needed: this build is thrown away
        pathlib.Path(after(words, "-MF")).write_text(f"{after(words, '-MT')}: {after(words, '-c')}\n")
    return 0


sys.exit(main())
