#!/usr/bin/env python3
"""students.py NDSIM [LAB...] [--table PAGE]: checks wrong programs that students write, as `ndsim lab check` says them.

students/NN-name.toml has the wrong programs of a lab: each is its solution with other text in the gap, in C++, in Python or in
both. Each must fail, and be named ("named", a known mistake) or told ("told", a text) in the first three lines, in every language
the same; "unnamed" is what neither does. With --table, the outcomes of all labs are written into the page, between its marks.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
LABS = HERE.parent.parent / "docs" / "labs"
BEGIN, END = "<!-- students: written by tests/labs/students.py -->\n", "<!-- students: end -->\n"
FIRST_LINES = 3


class Program:
    """A wrong program of a lab in one language."""

    def __init__(self, lab: str, language: str, entry: dict) -> None:
        self.lab, self.language, self.entry = lab, language, entry
        self.text = replaced(solution(lab, language), entry[language])
        self.brief: list[str] = []
        self.verdict: dict = {}

    def outcome(self) -> str:
        """named, told, unnamed; or what is wrong with the grader."""
        wanted = self.entry.get("named")
        if self.verdict["passed"]:
            return "PASSES"
        if self.verdict["mistake"] is not None:
            return "named" if self.verdict["mistake"] == wanted else f"NAMED WRONGLY: {self.verdict['mistake']}"
        if wanted:
            return "NOT NAMED"
        if "unnamed" in self.entry:
            return "unnamed"
        return "told" if self.entry["told"] in "\n".join(self.brief[:FIRST_LINES]) else "NOT TOLD"


def solution(lab: str, language: str) -> str:
    return (LABS / lab / f"solution.{'cpp' if language == 'cpp' else 'py'}").read_text(encoding="utf-8")


def replaced(text: str, changes: list[list[str]]) -> str:
    """The text with its gap changed."""
    begin, end = (text.index(mark) for mark in ("Your lines begin here", "Your lines end here"))
    gap = "".join(line for line in text[begin:end].splitlines(keepends=True) if "Starter: " not in line)
    for old, new in changes:
        if old not in gap:
            sys.exit(f"no such text in the gap: {old!r}")
        gap = gap.replace(old, new)
    return text[:begin] + gap + text[end:]


def compiled(programs: list[Program], folder: pathlib.Path, ndsim: str) -> pathlib.Path:
    """All C++ programs of a lab as one executable, which takes the number of one from VARIANT. One compilation takes as long as
    three, and there may be twelve."""
    includes: dict[str, None] = {}
    bodies, names = [], []
    for number, program in enumerate(programs):
        lines = program.text.splitlines()
        includes.update({line: None for line in lines if line.startswith("#include")})
        body = ["" if line.startswith(("#include", "NDSIM_LAB(")) else line for line in lines]
        bodies.append(f"namespace variant_{number} {{\n#line 1 \"lab.cpp\"\n" + "\n".join(body) + "\n}\n")
        names.append(f"variant_{number}::program")
    main = (
        "int main(int argc, char** argv) {\n"
        f"    const sim::lab::Program all[] = {{{', '.join(names)}}};\n"
        "    return sim::lab::run(argc, argv, all[std::atoi(std::getenv(\"VARIANT\"))]);\n}\n"
    )
    source = folder / "all.cpp"
    source.write_text("\n".join([*includes, "#include <cstdlib>", *bodies, main]), encoding="utf-8")
    toolbox = pathlib.Path(ndsim).resolve().parent.parent / "share" / "ndsim" / "labs.toml"
    tools = tomllib.loads(toolbox.read_text(encoding="utf-8"))
    flags = tools["flags"].replace("{prefix}", str(toolbox.parent.parent.parent)).replace(" -g ", " -g1 ").split()
    executable = folder / "all"
    subprocess.run([tools["compiler"], "-w", str(source), "-o", str(executable), *flags], check=True)
    return executable


def check(program: Program, desk: pathlib.Path, ndsim: str, number: int, executable: pathlib.Path | None) -> None:
    """Check the program on a desk of its own."""
    python = program.language == "python"
    subprocess.run(
        [ndsim, "lab", "start", program.lab, str(desk), *(["--python"] if python else [])], check=True, stdout=subprocess.DEVNULL
    )
    (desk / ("lab.py" if python else "lab.cpp")).write_text(program.text, encoding="utf-8")
    if executable:
        (desk / "build").mkdir()
        script = desk / "build" / "lab"
        script.write_text(f"#!/bin/sh\nVARIANT={number} exec '{executable}' \"$@\"\n", encoding="utf-8")
        script.chmod(0o755)
    line = [ndsim, "lab", "check", program.lab, str(desk)]
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}

    def said(option: str) -> str:
        return subprocess.run([*line, option], env=environment, capture_output=True, text=True, check=False).stdout

    program.brief = said("--brief").splitlines()
    program.verdict = json.loads(said("--json"))


def programs_of(lab: str, ndsim: str) -> list[Program]:
    """The wrong programs of a lab, checked."""
    entries = tomllib.loads((HERE / "students" / f"{lab}.toml").read_text(encoding="utf-8"))["program"]
    programs = [Program(lab, language, entry) for entry in entries for language in ("cpp", "python") if language in entry]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        in_cpp = [each for each in programs if each.language == "cpp"]
        executable = compiled(in_cpp, folder, ndsim) if in_cpp else None
        for place, each in enumerate(programs):
            own = executable if each.language == "cpp" else None
            check(each, folder / f"desk-{place}", ndsim, in_cpp.index(each) if own else 0, own)
    return programs


def table_of(all_programs: list[Program]) -> str:
    """A row for each program, and how many have which outcome."""
    outcomes = [program.outcome() for program in all_programs]
    clear = sum(each in ("named", "told") for each in outcomes)
    lines = [
        f"{len(all_programs)} programs in {len({each.lab for each in all_programs})} labs: {outcomes.count('named')} are named, "
        f"{outcomes.count('told')} more are told in the first three lines, so that {clear} of {len(all_programs)} are clear there.",
        "",
        "| lab | in | the program | said |",
        "|---|---|---|---|",
    ]
    rows: dict[tuple[str, str, str], list[str]] = {}
    for program, outcome in zip(all_programs, outcomes):
        said = f"`{program.entry['named']}`" if outcome == "named" else f"“{program.entry.get('told', '')}”"
        said = "what is wrong, not why" if outcome == "unnamed" else said
        rows.setdefault((program.lab[:2].lstrip("0") or "0", program.entry["what"], said), []).append(program.language)
    names = {"cpp": "C++", "python": "Python"}
    lines += [f"| {lab} | {', '.join(names[each] for each in languages)} | {what} | {said} |" for (lab, what, said), languages in rows.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks wrong programs that students write.")
    parser.add_argument("ndsim", help="the program ndsim")
    parser.add_argument("lab", nargs="*", help="the labs, by their folders or numbers (all)")
    parser.add_argument("--table", metavar="PAGE", help="write the outcomes into this page")
    parser.add_argument("--show", action="store_true", help="print the first lines of each")
    asked = parser.parse_args()
    labs = [path.stem for path in sorted((HERE / "students").glob("*.toml"))]
    chosen = [lab for lab in labs if not asked.lab or lab in asked.lab or str(int(lab[:2])) in asked.lab]
    failed = 0
    all_programs = []
    for lab in chosen:
        for program in programs_of(lab, asked.ndsim):
            all_programs.append(program)
            outcome = program.outcome()
            wrong = outcome not in ("named", "told", "unnamed")
            failed += wrong
            if wrong or asked.show:
                print(f"{lab} {program.language}: {program.entry['what']}: {outcome}")
                print("".join(f"    {line}\n" for line in program.brief[:7]), end="")
    print(f"{len(all_programs)} wrong programs, {failed} not as they should be")
    if asked.table:
        page = pathlib.Path(asked.table)
        text = page.read_text(encoding="utf-8")
        begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        page.write_text(text[:begin] + table_of(all_programs) + text[end:], encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
