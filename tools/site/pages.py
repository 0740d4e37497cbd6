"""Copies the pages to where Sphinx reads them, so that links and blocks mean the same as on a forge.

A page keeps its place, so that links between pages stay valid. A link to another file of the repository leads to a page with
its text. Comments above blocks, which only the tests read, are removed; the name of a file that a block is written to becomes
the block's caption.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

SOURCE = "source"
"""The folder of the pages that show files."""

# A span of code, which is skipped, or a link with its text and target. Targets have no blanks.
_LINK = re.compile(r"(?P<code>`+[^`]*`+)|(?P<begin>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^()\s]+)\)")
_FENCE = re.compile(r"^( *)(`{3,})(.*)$")
_FILE = re.compile(r"^\s*File `([^`]+)`:$")
_COMMENT = re.compile(r"^\s*<!--.*-->$")
_LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".pyi": "python", ".sh": "bash", ".json": "json", ".toml": "toml",
              ".cmake": "cmake", ".ts": "typescript", ".css": "css", ".awk": "awk"}


class BadLink(Exception):
    """A broken link, with its line."""


def page_files(root: Path) -> list[Path]:
    """The pages of the repository, by path: those of the root and of docs/ at any depth."""
    found = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    found += [page for page in sorted((root / "docs").rglob("*.md")) if "site" not in page.relative_to(root).parts]
    return [page.relative_to(root) for page in found]


class Stage:
    """The folder that Sphinx reads, while it is being filled."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.pages = set(page_files(root))
        self._shown: set[Path] = set()

    def write(self, name: str | Path, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def copy_pages(self) -> None:
        """Copies all pages. Raises BadLink, which names all broken links."""
        wrong: list[str] = []
        for page in sorted(self.pages):
            text = (self.root / page).read_text(encoding="utf-8")
            self.write(page, "\n".join(self._lines(page, text.splitlines(), wrong)) + "\n")
        if wrong:
            raise BadLink("\n".join(wrong))

    def _lines(self, page: Path, lines: list[str], wrong: list[str]) -> Iterator[str]:
        fence = ""
        caption = ""
        for number, line in enumerate(lines, 1):
            found = _FENCE.match(line)
            if fence:
                fence = "" if line.strip() == fence else fence
                yield line
            elif found is not None:
                fence = found[2]
                yield from _opening(found, caption)
                caption = ""
            elif (named := _FILE.match(line)) is not None and _is_above_a_block(lines, number):
                caption = named[1]
                yield ""
            elif _COMMENT.match(line):
                yield ""
            else:
                yield _LINK.sub(lambda link: self._link(page, number, link, wrong), line)

    def _link(self, page: Path, number: int, link: re.Match[str], wrong: list[str]) -> str:
        target = link["target"]
        if link["code"] is not None or re.match(r"[a-z]+:|#", target):
            return link[0]
        path, hash_mark, anchor = target.partition("#")
        place = Path(os.path.normpath(page.parent / path))
        file = self.root / place
        if not file.exists():
            wrong.append(f"{page}:{number}: {target} is not there")
            return link[0]
        if link["begin"].startswith("!"):
            (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, self.folder / place)
            return link[0]
        if place / "README.md" in self.pages:
            place /= "README.md"
        elif place not in self.pages:
            place = self.show(place)
        relative = os.path.relpath(place, page.parent)
        return f"{link['begin']}{relative}{hash_mark}{anchor})"

    def show(self, place: Path) -> Path:
        """The page that shows a file of the repository or lists a folder; created on first use."""
        page = Path(SOURCE) / f"{place}.md"
        if place in self._shown:
            return page
        self._shown.add(place)
        file = self.root / place
        if file.is_dir():
            self.write(page, f"---\norphan: true\n---\n# {place}/\n\n{self._list_of(place)}")
        else:
            shutil.copyfile(file, self._beside(page, place))
            language = _LANGUAGES.get(place.suffix, "bash" if file.read_bytes().startswith(b"#!") else "text")
            self.write(page, f"---\norphan: true\n---\n# {place}\n\n"
                             f"```{{literalinclude}} {place.name}.txt\n:language: {language}\n:linenos:\n```\n")
        return page

    def _beside(self, page: Path, place: Path) -> Path:
        file = self.folder / page.parent / f"{place.name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def _list_of(self, folder: Path) -> str:
        lines = []
        page_folder = (Path(SOURCE) / folder).parent
        for entry in sorted((self.root / folder).iterdir()):
            place = entry.relative_to(self.root)
            if entry.name.startswith((".", "__")):
                continue
            target = place if place in self.pages else self.show(place)
            lines.append(f"- [`{entry.name}{'/' if entry.is_dir() else ''}`]({os.path.relpath(target, page_folder)})\n")
        return "".join(lines)


def _is_above_a_block(lines: list[str], number: int) -> bool:
    return number < len(lines) and _FENCE.match(lines[number]) is not None


def _opening(fence: re.Match[str], caption: str) -> Iterator[str]:
    """Opens a block in Sphinx's form, with a caption if it is a file."""
    indent, ticks, language = fence[1], fence[2], fence[3].strip() or "text"
    if caption:
        yield f"{indent}{ticks}{{code-block}} {language}"
        yield f"{indent}:caption: {caption}"
        yield ""
    else:
        yield f"{indent}{ticks}{language}"
