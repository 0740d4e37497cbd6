"""Repairs Debian's furo to work as its authors intended.

The package has the theme's sources, compiled without its authors' tools: the script still imports another one, the style sheet
lacks its rules for a dark system, and it loads a style sheet from a path of Debian's web server. This module corrects all of
that in the built site, and leaves a furo that needs no repair unchanged.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

_IMPORT = re.compile(r'^import Gumshoe from "\./(?P<file>[^"]+)";$', re.MULTILINE)
_DARK = re.compile(r'^\s*body\[data-theme="dark"\] \{(?P<colours>[^}]*)\}', re.MULTILINE)
_NORMALIZE = "@import url(/javascript/normalize.css/normalize.css);"
_INSTALLED = Path("/usr/share/javascript/normalize.css/normalize.css")


def repair(static: Path) -> None:
    """Repairs the folder _static of a site."""
    script = static / "scripts" / "furo.js"
    script.write_text(in_one_script(script), encoding="utf-8")
    sheet = static / "styles" / "furo.css"
    css = with_dark_system(sheet.read_text(encoding="utf-8"))
    if _NORMALIZE in css:
        if _INSTALLED.exists():
            shutil.copyfile(_INSTALLED, static / "styles" / "normalize.css")
        css = css.replace(_NORMALIZE, '@import url("normalize.css");' if _INSTALLED.exists() else "")
    sheet.write_text(css, encoding="utf-8")


def in_one_script(script: Path) -> str:
    """Inlines its imports, because a page loads it as a script, not as a module."""
    text = script.read_text(encoding="utf-8")
    return _IMPORT.sub(lambda found: (script.parent / found["file"]).read_text(encoding="utf-8"), text)


def with_dark_system(css: str) -> str:
    """Uses the dark colours also if the system is dark and the reader has not chosen."""
    dark = _DARK.search(css)
    if "prefers-color-scheme" in css or dark is None:
        return css
    return css + ("\n@media screen and (prefers-color-scheme: dark) {\n"
                  f'  body:not([data-theme="light"]) {{{dark["colours"]}}}\n}}\n')
