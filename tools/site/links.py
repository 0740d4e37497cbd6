"""Checks the links of a built site: each must lead to an existing file and to an anchor in it. Fetches nothing: of external
addresses it checks only the form."""

from __future__ import annotations

import os
import re
import sys
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

_ELSEWHERE = re.compile(r"https?://([a-z0-9-]+\.)+[a-z]{2,}(:\d+)?(/[^\s]*)?(#.*)?$", re.IGNORECASE)
_URL = re.compile(r"url\(['\"]?([^'\")]+)['\"]?\)")


class _Page(HTMLParser):
    """The link targets of a page, and its anchors."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.targets: list[tuple[int, str]] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in ("href", "src"):
                self.targets.append((self.getpos()[0], value))


def page_of(file: Path) -> _Page:
    page = _Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def wrong_links(folder: Path) -> list[str]:
    """One line for each broken link: its place, its target and the reason."""
    pages = {file: page_of(file) for file in sorted(folder.rglob("*.html"))}
    wrong = [f"{file.relative_to(folder)}: {target} is not there" for file in sorted(folder.rglob("*.css"))
             for target in _URL.findall(file.read_text(encoding="utf-8"))
             if not target.startswith("data:") and not (file.parent / target).is_file()]
    for file, page in pages.items():
        for line, target in page.targets:
            why = _complaint(file, target, folder, pages)
            if why:
                wrong.append(f"{file.relative_to(folder)}:{line}: {target} {why}")
    return wrong


def _complaint(file: Path, target: str, folder: Path, pages: dict[Path, _Page]) -> str:
    scheme = urllib.parse.urlsplit(target).scheme
    if scheme in ("http", "https"):
        return "" if _ELSEWHERE.match(target) else "is no address"
    if scheme in ("data", "mailto"):
        return ""
    if scheme:
        return f"has a scheme that no page here needs: {scheme}"
    path, _, place = urllib.parse.unquote(target).partition("#")
    path = path.partition("?")[0]
    other = file if not path else Path(os.path.normpath(file.parent / path))
    if not other.is_relative_to(folder) or not other.is_file():
        return "is not there"
    if place and other in pages and place not in pages[other].places:
        return "has no such place"
    return ""


if __name__ == "__main__":
    lines = wrong_links(Path(sys.argv[1]))
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
