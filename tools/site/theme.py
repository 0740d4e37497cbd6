"""Debian's furo as furo is meant to be.

The package has the theme's sources, compiled without what its authors compile them with: the script still imports another, the
style sheet has lost its answer to a dark system, and it reads a style sheet from where Debian's web server would have it. All
of this is put right in the site that was built; a furo that needs none of it is left as it is.
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
    """Of the folder _static of a site."""
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
    """What it imports in place of the import: a page loads it as a script, and not as a module."""
    text = script.read_text(encoding="utf-8")
    return _IMPORT.sub(lambda found: (script.parent / found["file"]).read_text(encoding="utf-8"), text)


def with_dark_system(css: str) -> str:
    """The dark colours also where the system is dark and nobody chose."""
    dark = _DARK.search(css)
    if "prefers-color-scheme" in css or dark is None:
        return css
    return css + ("\n@media screen and (prefers-color-scheme: dark) {\n"
                  f'  body:not([data-theme="light"]) {{{dark["colours"]}}}\n}}\n')
