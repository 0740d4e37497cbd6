"""The reference of all programs, made from their own output of --help options and --help columns."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_VALUES = 20
"""An option with more known values refers in its help to the list."""


@dataclass(frozen=True)
class Program:
    """A program, or a command of one."""

    facts: dict[str, Any]
    columns: str
    """The output of --help columns; empty: nothing is documented."""

    @property
    def name(self) -> str:
        return str(self.facts["program"])

    @property
    def page(self) -> str:
        return "reference/programs/" + self.name.replace(" ", "-")


def asked(words: list[str]) -> Program:
    """The facts that a program reports about itself."""
    facts = subprocess.run([*words, "--help", "options"], check=True, capture_output=True, text=True).stdout
    columns = subprocess.run([*words, "--help", "columns"], check=False, capture_output=True, text=True)
    return Program(json.loads(facts), columns.stdout if columns.returncode == 0 else "")


def with_commands(words: list[str]) -> list[Program]:
    """A program, its commands, and theirs."""
    program = asked(words)
    commands = [with_commands([*words, command["name"]]) for command in program.facts["commands"]]
    return [program, *(each for own in commands for each in own)]


def all_programs(build: Path) -> list[Program]:
    """ndsim, its commands, and the scenarios: all programs for which the build has a manual page."""
    programs = with_commands([str(build / "bin" / "ndsim")])
    scenarios = [page.stem for page in sorted((build / "share/man/man1").glob("*.1")) if not page.stem.startswith("ndsim")]
    return programs + [asked([str(build / "bin" / scenario)]) for scenario in scenarios]


def escaped(text: str) -> str:
    """Plain text escaped for Markdown."""
    return re.sub(r"([\\`*_\[\]<>{}#|$~])", r"\\\1", text)


def page_of(program: Program) -> str:
    """The page of a program, in Markdown."""
    facts = program.facts
    lines = [f"# {facts['program']}", "", escaped(facts["summary"]), "", "```text", facts["usage"], "```", ""]
    if facts["commands"]:
        lines += ["## Commands", "", "| command | |", "|---|---|"]
        for command in facts["commands"]:
            name = f"{facts['program']} {command['name']}"
            lines.append(f"| [{name}]({name.replace(' ', '-')}.md) | {escaped(command['summary'])} |")
        lines.append("")
    lines += ["## Examples", "", "```console", *(f"$ {example}" for example in facts["examples"]), "```", ""]
    lines += [f"```{{program}} {facts['program']}", "```", ""]
    groups: dict[str, list[dict[str, Any]]] = {}
    for option in facts["options"]:
        groups.setdefault(option["group"], []).append(option)
    arguments = groups.pop("Arguments", [])
    general = groups.pop("General", [])
    for title, options in (("Arguments", arguments), *groups.items(), ("General", general)):
        lines += [f"## {title}", ""] if options else []
        for option in options:
            lines += [f"```{{option}} {signature(option)}", "", description(option), "```", ""]
    if program.columns and not facts["commands"]:
        lines += ["## What it prints for programs", "",
                  "As `--help columns` says it; [every key and column](../../docs/columns.md).", "",
                  "```text", program.columns.rstrip(), "```", ""]
    return "\n".join(lines)


def signature(option: dict[str, Any]) -> str:
    """--model NAME|FILE, or -h, --help, or the name of an argument."""
    if option["role"] != "option":
        return str(option["name"])
    names = [("-" if len(name) == 1 else "--") + name for name in [*option["also"], option["name"]]]
    return ", ".join(names) + (f" {option['takes']}" if option["takes"] else "")


def description(option: dict[str, Any]) -> str:
    text = escaped(option["help"])
    values = option["values"]
    # Not needed if the help sentence names them.
    if values and len(values) <= MOST_VALUES and not all(value in option["help"] for value in values):
        text += "\n\nKnown values: " + ", ".join(f"`{value}`" for value in values) + "."
    return text


def list_of(programs: list[Program]) -> str:
    """The index page of the programs."""
    lines = ["# Programs", "", "Every option of every program, as the programs themselves say it with `--help`. The same is in",
             "`man ndsim`, `man ndsim-train` and so on, and completes in the shell: `ndsim completion bash`.", "",
             "```{toctree}", ":maxdepth: 1", "", *(program.page.removeprefix("reference/") for program in programs), "```", ""]
    return "\n".join(lines)
