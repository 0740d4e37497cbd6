"""The options of a run: of python3 -m ndsim.torchrun, including torchrun's, and of ndsim.torch.launch as keywords."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._errors import UsageError
from .launch.fold import Wish, wish
from .hollow.routing import BALANCED, Routing, routing
from .stand_ins import registry


@dataclasses.dataclass(frozen=True)
class Options:
    """The settings of a run."""

    script: str = ""
    arguments: tuple[str, ...] = ()
    is_module: bool = False
    machine: str = "dgx-h100"
    nproc: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    """None if not given; EVERY_GPU: one rank per GPU of a node."""
    trace: str = ""
    report: str = ""
    timeline: bool = False
    json: bool = False
    explain_cost: bool = False
    hollow: bool = False
    routing: Routing = BALANCED
    """Token routing in a hollow run."""
    fold: Wish | None = None
    """The ranks that run and stand for all."""
    compiled: bool = False
    flash_attention: int | None = None
    """FlashAttention version of the kernels; None: PyTorch's."""
    launch_microseconds: float | None = None
    without: tuple[str, ...] = ()
    """Packages that the simulated machine lacks although stand-ins exist."""
    watchdog: float = 120.0
    against: str = ""
    """The prediction to compare with: 'train', or empty."""
    fault: str = ""
    """Faults to inject, separated by ;."""

    @property
    def title(self) -> str:
        return os.path.basename(self.script)

    @property
    def keeps_timeline(self) -> bool:
        return bool(self.trace or self.report or self.timeline)

    @property
    def faults(self) -> list[str]:
        return [fault for fault in self.fault.split(";") if fault.strip()]


EVERY_GPU = 0


@dataclasses.dataclass(frozen=True)
class Row:
    """An option."""

    name: str
    takes: str
    """Name of its value; empty if it takes none."""
    help: str
    read: Callable[[str], Any] = str
    field: str = ""
    """Field of Options; empty: the option's own name. Options that are accepted without effect have no such field."""
    keyword: str | None = None
    """Keyword of ndsim.torch.launch; None: the option's own name; empty: command line only."""

    @property
    def target(self) -> str:
        return self.field or self.name.replace("-", "_")

    @property
    def name_in_python(self) -> str:
        return self.name.replace("-", "_") if self.keyword is None else self.keyword

    def value_of(self, text: str, asked: str) -> Any:
        """Parses the text; `asked` is the option as written, for error messages."""
        try:
            return self.read(text)
        except ValueError as wrong:
            why = str(wrong) if not str(wrong).startswith(("invalid", "could not")) else "is not a number"
            raise UsageError(f"{asked} {why}") from None


def whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError("must be at least 1")
    return number


def flash_version(text: str) -> int:
    if text not in ("1", "2", "3"):
        raise ValueError("must be 1, 2 or 3")
    return int(text)


def per_node(text: str) -> int:
    return EVERY_GPU if text in ("gpu", "auto") else whole(text)


def positive(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError("must be more than 0 and less than 1e6")
    return number


def zero_or_more(text: str) -> float:
    number = float(text)
    if not 0 <= number < 1e6:
        raise ValueError("must be 0 or more and less than 1e6")
    return number


def package_names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().replace("-", "_") for name in text.split(","))
    known = registry.names()
    for name in names:
        if name not in known:
            raise ValueError(f"has {name}, for which there is no stand-in; there are {', '.join(sorted(known))}")
    return names


def nodes(text: str) -> int:
    least, _, most = text.partition(":")
    if most and most != least:
        raise ValueError("is a range of nodes, as elastic runs have; nodes do not come and go here: give one number")
    return whole(least)


def predictor(text: str) -> str:
    if text != "train":
        raise ValueError("must be train")
    return text


def no_restarts(text: str) -> int:
    if int(text) != 0:
        raise ValueError("asks for elastic restarts; a simulated run ends when a rank fails: leave it out")
    return 0


ROWS = (
    Row("machine", "NAME|FILE", "simulated machine: a name from `ndsim hardware`, or a TOML file (dgx-h100)"),
    Row("nproc", "N", "start N ranks; without it the script runs once and starts its own ranks", whole, keyword="ranks"),
    Row("trace", "FILE", "write the timeline as a trace, in the format of the extension: .json, .pftrace and others"),
    Row("report", "FILE.html", "write an HTML page: the timeline, its replay, and where the time went"),
    Row("timeline", "", "draw the timeline as text, one row per rank and stream"),
    Row("json", "", "print one JSON object on standard output; the script's own output goes to standard error", keyword=""),
    Row("explain-cost", "", "list the operators with count, time and pricing method, and what was guessed"),
    Row("hollow", "", "run without arithmetic, for models too large for this computer; times stay the same"),
    Row("fold", "K|auto", "run only ranks 0 to K-1, or rank 0 and its peers, each for all its equals; implies --hollow", wish),
    Row("routing", "HOW", "token routing of a hollow run: balanced, drawn, drawn:SEED, or a file of shares (balanced)", routing),
    Row("compiled", "", "price the operators as fused by torch.compile, as if the script called it"),
    Row("flash-attention", "V", "FlashAttention version that sets the cost of attention: 1, 2 or 3 (2)", flash_version),
    Row("launch-microseconds", "X", "host time per operator (the machine's)", zero_or_more),
    Row("without", "NAME,…", "packages that the simulated machine lacks: hides their stand-ins", package_names),
    Row("against", "train", "compare with what `ndsim train` predicts for the recognised layout and model", predictor),
    Row("watchdog", "S", "a rank counts as hung after S seconds without a simulated operation (120)", positive),
    Row("fault", "TEXT", "fault to inject: 'slow rank 1 x2', 'kill rank 3 at 2s'; separate several by ;"),
    Row("nnodes", "N", "start ranks on N nodes, with --nproc-per-node", nodes, "nodes", ""),
    Row("nproc-per-node", "N|gpu", "start N ranks on each node; gpu: one per GPU", per_node, "per_node", ""),
    Row("module", "", "SCRIPT is a module name, as in python3 -m; also -m", str, "is_module", ""),
)

HARMLESS = (
    Row("standalone", "", ""),
    Row("rdzv-backend", "NAME", ""),
    Row("rdzv-endpoint", "HOST:PORT", ""),
    Row("rdzv-id", "NAME", ""),
    Row("rdzv-conf", "CONF", ""),
    Row("node-rank", "N", ""),
    Row("master-addr", "HOST", ""),
    Row("master-port", "PORT", ""),
    Row("local-addr", "HOST", ""),
    Row("monitor-interval", "S", ""),
    Row("start-method", "NAME", ""),
    Row("role", "NAME", ""),
    Row("log-dir", "FOLDER", ""),
    Row("redirects", "N", ""),
    Row("tee", "N", ""),
    Row("max-restarts", "N", "", no_restarts),
)

SHORT = {"-h": "--help", "-m": "--module", "-r": "--redirects", "-t": "--tee"}

USAGE = "python3 -m ndsim.torchrun [OPTIONS] SCRIPT [ARGUMENTS]"


def help_text() -> str:
    """The text of --help."""
    lines = [
        "Runs a PyTorch training script unmodified, each rank a real process, in the simulated time of a machine.",
        f"Usage: {USAGE}",
        "",
        "Options:",
    ]
    shown = [Row("help", "", "print this and exit"), *ROWS]
    for row in shown:
        lines.append(f"  {'--' + row.name + ' ' + row.takes:<28}{row.help}")
    lines += [
        "",
        "These torchrun options are accepted but have no effect, since one process simulates all nodes:",
        "  " + ", ".join("--" + row.name for row in HARMLESS[:8]) + ",",
        "  " + ", ".join("--" + row.name for row in HARMLESS[8:]),
        "",
        "Examples:",
        "  python3 -m ndsim.torchrun --nproc 8 train.py --epochs 2            # like torchrun, on a DGX H100",
        "  python3 -m ndsim.torchrun --machine dgx-a100 --nproc 64 train.py   # eight nodes of another machine",
        "  python3 -m ndsim.torchrun train.py                                 # a script that calls mp.spawn",
        "  python3 -m ndsim.torchrun --nproc 8 --report run.html train.py     # where the time went, as a page",
        "",
    ]
    return "\n".join(lines)


def row_of(word: str, every: dict[str, Row]) -> Row:
    """The option that a command-line word names."""
    name = word.lstrip("-").replace("_", "-")
    if word.startswith("--") and name in every:
        return every[name]
    nearest = near(name, every)
    raise UsageError(f"unknown option {word}" + (f"; did you mean --{nearest}?" if nearest else "; see --help"))


def near(name: str, names: Iterable[str]) -> str:
    """The closest name; empty if there is none."""
    return next(iter(difflib.get_close_matches(name, names, 1)), "")


def read_options(words: list[str]) -> Options | None:
    """Parses the options before the script, the script and its arguments. Returns None for --help."""
    every = {row.name: row for row in (*ROWS, *HARMLESS, Row("help", "", ""))}
    found: dict[str, Any] = {}
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word, equals, value = rest.pop(0).partition("=")
        if word == "--":
            break
        row = row_of(SHORT.get(word, word), every)
        if row.name == "help":
            return None
        if not row.takes:
            if equals:
                raise UsageError(f"{word} takes no value; see --help")
            found[row.target] = True
            continue
        if not equals:
            if not rest:
                raise UsageError(f"{word} needs a value; see --help")
            value = rest.pop(0)
        found[row.target] = row.value_of(value, f"{word} {value}")
    if not rest:
        raise UsageError(f"SCRIPT is missing: {USAGE}")
    return checked(rest[0], tuple(rest[1:]), found)


def keyword_row(word: str) -> Row:
    """The option that a keyword of ndsim.torch.launch names."""
    every = {row.name_in_python: row for row in ROWS if row.name_in_python}
    if word in every:
        return every[word]
    of_command = {row.name.replace("-", "_"): row.name_in_python for row in ROWS}
    nearest = of_command.get(word) or near(word, every)
    raise UsageError(f"unknown option {word}=" + (f"; did you mean {nearest}=?" if nearest else f"; there are {', '.join(every)}"))


def keyword_options(script: str, given: Mapping[str, Any]) -> Options:
    """The options from keywords of ndsim.torch.launch; a value of None counts as omitted."""
    found: dict[str, Any] = {}
    for word, value in given.items():
        row = keyword_row(word)
        if value is None:
            continue
        asked = f"{word}={value!r}"
        if not row.takes:
            if not isinstance(value, bool):
                raise UsageError(f"{asked} must be True or False")
            found[row.target] = value
        elif row.read is str and not isinstance(value, (str, os.PathLike)):
            raise UsageError(f"{asked} must be text: {row.takes}")
        else:
            found[row.target] = row.value_of(str(value), asked)
    return checked(script, (), found)


def checked(script: str, arguments: tuple[str, ...], found: Mapping[str, Any]) -> Options:
    known = {field.name for field in dataclasses.fields(Options)}
    given = {name: value for name, value in found.items() if name in known}
    if given.get("fold") is not None:
        # The data of the ranks that do not run is unknown, so no number can be known.
        given["hollow"] = True
    options = Options(script=script, arguments=arguments, **given)
    check(options)
    return options


def check(options: Options) -> None:
    """Refuse combinations that are contradictory or not supported yet."""
    if options.nproc is not None and (options.per_node is not None or options.nodes is not None):
        raise UsageError("--nproc sets the total number of ranks; leave out --nnodes and --nproc-per-node, or --nproc")
