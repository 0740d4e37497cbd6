"""reuse_objects.py BUILD LOG COMPILER ARGUMENT...: a launcher (CMAKE_CXX_COMPILER_LAUNCHER) for a build that has ndsim inside it.

An object of ndsim that BUILD has compiled of the same source with the same options is copied; all else is compiled. Options that
change no object (warnings, a precompiled form of headers that are included anyway) may differ. LOG gets a line for each:
`reused` or `compiled`, and the object.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def options(words: list[str]) -> list[str]:
    """What decides an object, of a compiler's arguments: in order, without its files and what only warns or looks for headers."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in ("-o", "-c", "-MT", "-MF", "-include", "-isystem"):
            next(rest)
        elif not re.match(r"-(W|M|I)|-pedantic", word):
            kept.append(word)
    return kept


def after(words: list[str], option: str) -> str:
    """The argument of an option."""
    return words[words.index(option) + 1]


def text(file: pathlib.Path, build: pathlib.Path) -> str | None:
    """A source, if it is there; of one that a build has made, without that build's place."""
    return file.read_text().replace(str(build), "BUILD") if file.exists() else None


def same_source(one: str, its_build: pathlib.Path, other: str, build: pathlib.Path) -> bool:
    """Whether two builds compile the same: the same file, or files made alike that include the same."""
    if one == other:
        return True
    first = text(pathlib.Path(one), its_build)
    if first is None or first != text(pathlib.Path(other), build):
        return False
    made = re.findall(r'#include "BUILD/([^"]+)"', first)
    return all(text(its_build / name, its_build) == text(build / name, build) for name in made)


def compiled_already(words: list[str], build: pathlib.Path) -> pathlib.Path | None:
    """The object in BUILD that the arguments would make again."""
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
    if "-MF" in words:  # all that it is made of may change, and this build is thrown away
        pathlib.Path(after(words, "-MF")).write_text(f"{after(words, '-MT')}: {after(words, '-c')}\n")
    return 0


sys.exit(main())
