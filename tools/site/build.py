"""build.py ROOT BUILD FOLDER: builds the documentation site, from the pages of ROOT and the programs of BUILD, into FOLDER/html.

Fails, naming the place, for a broken link in a page or in the built site, and for every warning of Sphinx.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import cpp_reference
import links
import programs
import python_reference
import theme
from pages import BadLink, Stage


def sections_of(stage: Stage, root: Path) -> str:
    """The contents: a list for each section of contents.toml; pages in no section go into the last one."""
    contents = tomllib.loads((root / "docs" / "site" / "contents.toml").read_text(encoding="utf-8"))
    left = sorted(stage.pages)
    lists = []
    for section in contents["section"]:
        chosen: list[Path] = []
        for pattern in section["pages"]:
            found = [page for page in left if page.match(pattern) and len(page.parts) == pattern.count("/") + 1]
            chosen += found
            left = [page for page in left if page not in found]
        chosen += left if section.get("others", False) else []
        names = [_entry(page) for page in chosen] + section.get("reference", [])
        if names:
            lists.append("\n".join(["```{toctree}", ":hidden:", f":caption: {section['title']}", "", *names, "```", ""]))
    return "\n".join(lists)


def _entry(page: Path) -> str:
    # The site and the README have the same title.
    return "Overview <README>" if page == Path("README.md") else str(page.with_suffix(""))


def torchrun_page(root: Path) -> str:
    """The options of ndsim.torchrun, read from its table without PyTorch."""
    tree = ast.parse((root / "tools/python/ndsim/torchrun/options.py").read_text(encoding="utf-8"))
    rows = next(node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROWS")
    lines = ["# ndsim.torchrun", "", "Runs a PyTorch training script unmodified: [PyTorch scripts](../docs/torch.md).", "",
             "```text", "python3 -m ndsim.torchrun [OPTIONS] SCRIPT [ARGUMENTS]", "```", "",
             "```{program} ndsim.torchrun", "```", ""]
    assert isinstance(rows, ast.Tuple)
    for row in rows.elts:
        if isinstance(row, ast.Call):
            name, takes, text = (str(ast.literal_eval(value)) for value in row.args[:3])
            lines += [f"```{{option}} --{name} {takes}".rstrip(), "", programs.escaped(text), "```", ""]
    return "\n".join(lines)


def add_reference(stage: Stage, root: Path, build: Path) -> None:
    """Adds the reference pages of programs, packages and headers."""
    all_programs = programs.all_programs(build)
    stage.write("reference/programs.md", programs.list_of(all_programs))
    for program in all_programs:
        stage.write(f"{program.page}.md", programs.page_of(program))
    module = python_reference.compiled_module(build)
    if module is None:
        print("site: the module ndsim cannot be imported: the Python reference goes without its sentences", file=sys.stderr)
    stage.write("reference/python.rst", python_reference.Reference(root / "tools/python/ndsim", module).page())
    stage.write("reference/torchrun.md", torchrun_page(root))


def add_headers(stage: Stage, root: Path, folder: Path) -> None:
    xml = cpp_reference.run_doxygen(root, folder / "doxygen")
    for name, text in cpp_reference.pages_of(cpp_reference.move_members_to_headers(xml)).items():
        stage.write(f"reference/{name}", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "build", "folder"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    root, build, folder = (getattr(arguments, name).resolve() for name in ("root", "build", "folder"))
    pages, html = folder / "pages", folder / "html"
    for old in (pages, html, folder / "doxygen", folder / "doctrees"):
        shutil.rmtree(old, ignore_errors=True)
    stage = Stage(root, pages)
    try:
        stage.copy_pages()
    except BadLink as error:
        print(error, file=sys.stderr)
        return 1
    add_reference(stage, root, build)
    add_headers(stage, root, folder)
    index = (root / "docs/site/index.md").read_text(encoding="utf-8")
    stage.write("index.md", index + "\n" + sections_of(stage, root))
    for picture in sorted((root / "docs/pictures").glob("*.svg")):
        (pages / "docs/pictures").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, pages / "docs/pictures" / picture.name)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-j", "auto",
               "-c", str(root / "docs/site"), "-d", str(folder / "doctrees"), str(pages), str(html)]
    # Sphinx 8 prints what its extensions will have to change for Sphinx 9, unless the variable is set.
    environment = {"PYTHONWARNINGS": "ignore::DeprecationWarning", **os.environ}
    environment |= {"NDSIM_DOXYGEN_XML": str(folder / "doxygen" / "xml"), "NDSIM_VERSION": version_of(root)}
    if subprocess.run(command, check=False, env=environment).returncode != 0:
        return 1
    theme.repair(html / "_static")
    wrong = links.wrong_links(html)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def version_of(root: Path) -> str:
    """The version in CMakeLists.txt."""
    for line in (root / "CMakeLists.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("project(ndsim VERSION "):
            return line.split()[2]
    raise ValueError("CMakeLists.txt has no version")


if __name__ == "__main__":
    sys.exit(main())
