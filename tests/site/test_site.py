"""The generator of the documentation site, on small cases: pages, links, the theme, and the references."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))

import links  # noqa: E402
import programs  # noqa: E402
import python_reference  # noqa: E402
import theme  # noqa: E402
from pages import BadLink, Stage  # noqa: E402


class Repository(unittest.TestCase):
    """A repository of a few files, deleted after the test."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            self.write(name, "# Title\n")

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def staged(self, page: str) -> str:
        """The page as given to Sphinx."""
        stage = Stage(self.root, self.root / "stage")
        stage.copy_pages()
        return (self.root / "stage" / page).read_text(encoding="utf-8")


class Pages(Repository):
    def test_keep_links_to_pages_and_elsewhere(self) -> None:
        text = "[a](docs/a.md#place) [b](https://ndsim.example/x) [c](#below)\n"
        self.write("docs/a.md", "# A\n")
        self.write("README.md", text)
        self.assertEqual(self.staged("README.md"), text)

    def test_lead_to_pages_that_show_other_files(self) -> None:
        self.write("libsim/gpu.hpp", "// A GPU.\n")
        self.write("docs/a.md", "[gpu](../libsim/gpu.hpp), [all](../libsim/)\n")
        self.assertEqual(self.staged("docs/a.md"), "[gpu](../source/libsim/gpu.hpp.md), [all](../source/libsim.md)\n")
        self.assertIn(":language: cpp", self.staged("source/libsim/gpu.hpp.md"))
        self.assertIn("[`gpu.hpp`](libsim/gpu.hpp.md)", self.staged("source/libsim.md"))

    def test_name_every_link_that_leads_nowhere(self) -> None:
        self.write("docs/a.md", "# A\n[b](b.md)\n")
        self.write("docs/c.md", "[d](../d.txt)\n")
        with self.assertRaises(BadLink) as raised:
            self.staged("docs/a.md")
        self.assertEqual(str(raised.exception), "docs/a.md:2: b.md is not there\ndocs/c.md:1: ../d.txt is not there")

    def test_leave_code_as_it_is(self) -> None:
        text = "`[x](y)` and\n```cpp\nvalues[i](j);\n<!-- kept -->\n```\n"
        self.write("docs/a.md", text)
        self.assertEqual(self.staged("docs/a.md"), text)

    def test_turn_the_name_of_a_file_into_a_caption_and_comments_into_nothing(self) -> None:
        self.write("docs/a.md", "Text.\nFile `a.toml`:\n```toml\nx = 1\n```\n<!-- not run: why -->\n```sh\nls\n```\n")
        block = "```{code-block} toml\n:caption: a.toml\n\nx = 1\n```\n"
        self.assertEqual(self.staged("docs/a.md"), f"Text.\n\n{block}\n```sh\nls\n```\n")

    def test_bring_their_pictures_along(self) -> None:
        self.write("docs/pictures/p.svg", "<svg/>")
        self.write("docs/a.md", "![P](pictures/p.svg)\n")
        self.assertEqual(self.staged("docs/a.md"), "![P](pictures/p.svg)\n")
        self.assertEqual(self.staged("docs/pictures/p.svg"), "<svg/>")


class Links(Repository):
    def wrong(self, body: str) -> list[str]:
        self.write("html/a.html", f"<html><body>{body}</body></html>")
        self.write("html/sub/b.html", '<p id="place">')
        return links.wrong_links(self.root / "html")

    def test_lead_to_files_and_places_that_are_there(self) -> None:
        self.assertEqual(self.wrong('<p id="here"><a href="#here"><a href="sub/b.html#place"><a href="sub/b.html?x#place">'), [])

    def test_are_wrong_where_nothing_is(self) -> None:
        self.assertEqual(self.wrong('<a href="c.html">'), ["a.html:1: c.html is not there"])
        self.assertEqual(self.wrong('<img src="p.png">'), ["a.html:1: p.png is not there"])
        self.assertEqual(self.wrong('<a href="sub/b.html#other">'), ["a.html:1: sub/b.html#other has no such place"])
        self.assertEqual(self.wrong('<a href="#here">'), ["a.html:1: #here has no such place"])
        self.assertEqual(self.wrong('<a href="../README.md">'), ["a.html:1: ../README.md is not there"])

    def test_to_elsewhere_have_the_form_of_an_address(self) -> None:
        self.assertEqual(self.wrong('<a href="https://arxiv.org/abs/1806.03377"><a href="mailto:a@b.org">'), [])
        self.assertEqual(self.wrong('<a href="https://arxiv">'), ["a.html:1: https://arxiv is no address"])
        self.assertEqual(self.wrong('<a href="http//x.org">'), ["a.html:1: http//x.org is not there"])
        self.assertEqual(self.wrong('<a href="javascript:x()">'),
                         ["a.html:1: javascript:x() has a scheme that no page here needs: javascript"])

    def test_of_style_sheets_count_too(self) -> None:
        self.write("html/s.css", "@import url('t.css'); p { background: url(data:x) }")
        self.assertEqual(self.wrong(""), ["s.css: t.css is not there"])


class Theme(Repository):
    def test_becomes_one_script(self) -> None:
        self.write("s/furo.js", 'import Gumshoe from "./g.js";\nmain();\n')
        self.write("s/g.js", "var Gumshoe = 1;")
        self.assertEqual(theme.in_one_script(self.root / "s/furo.js"), "var Gumshoe = 1;\nmain();\n")

    def test_is_dark_where_the_system_is(self) -> None:
        css = theme.with_dark_system('  body[data-theme="dark"] {\n    --x: #000; }\n')
        self.assertIn("@media screen and (prefers-color-scheme: dark) {\n"
                      "  body:not([data-theme=\"light\"]) {\n    --x: #000; }", css)
        self.assertEqual(theme.with_dark_system(css), css)


class References(unittest.TestCase):
    def test_show_plain_text_in_markdown(self) -> None:
        self.assertEqual(programs.escaped("a_b <c> [d] *e* `f` |"), r"a\_b \<c\> \[d\] \*e\* \`f\` \|")

    def test_have_options_as_they_are_typed(self) -> None:
        option = {"name": "to", "role": "option", "takes": "FILE", "help": "where", "also": ["o"], "values": [], "path": "file"}
        self.assertEqual(programs.signature(option), "-o, --to FILE")
        self.assertEqual(programs.signature({**option, "name": "SHELL", "role": "argument"}), "SHELL")

    def test_list_values_that_the_help_does_not_name(self) -> None:
        option = {"help": "round or flat", "values": ["round", "flat"]}
        self.assertEqual(programs.description(option), "round or flat")
        self.assertEqual(programs.description({**option, "help": "the kind"}), "the kind\n\nKnown values: `round`, `flat`.")
        self.assertEqual(programs.description({**option, "values": [str(i) for i in range(21)]}), "round or flat")

    def test_show_docstrings_with_their_parameters(self) -> None:
        docstring = "Run `f(*x)` now.\n\nranks: how many,\nfrom 1.\n\nAnd *so* on."
        self.assertEqual(list(python_reference.described(docstring, ["ranks"])),
                         ["Run ``f(*x)`` now.", "", "", ":param ranks: how many,", "    from 1.", "", "", r"And \*so\* on."])

    def test_have_every_public_name_of_the_package(self) -> None:
        reference = python_reference.Reference(ROOT / "tools/python/ndsim", None)
        page = reference.page()
        for name in reference.public_names():
            self.assertRegex(page, rf"(?m)^\.\. py:(function|class|exception):: {name}\b")


if __name__ == "__main__":
    unittest.main()
