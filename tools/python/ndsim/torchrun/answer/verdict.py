"""The verdict at the top of a run's page, in sections whose numbers all come from the JSON object."""

from __future__ import annotations

from typing import Any

from ..recognised.value import Recognised, recognised_of
from . import advice_text, against, budget, figures, made_up, memory, recognised, steady
from .explained import Section, cell, figures_of, parts, section, table, told

Answer = dict[str, Any]


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def known_in(answer: Answer) -> Recognised | None:
    return None if answer["recognised"] is None else recognised_of(answer["recognised"])


def utilisation(answer: Answer) -> list[tuple[str, str, str, str]]:
    if answer["peak_flops_per_second_per_gpu"] is None:
        return []
    rate = steady.rate_text(answer["model_flops_per_second_per_gpu"], answer["peak_flops_per_second_per_gpu"])
    again = [("HFU", "/hfu", "share of 1", steady.ONCE_MORE)] if answer["hfu"] != answer["mfu"] else []
    return [("MFU", "/mfu", "share of 1", rate), *again]


def short(answer: Answer, title: str) -> Section:
    """The main figures, and what limits the step."""
    price = answer["cost"]["usd_per_gpu_hour"]
    at_price = "" if price is None else figures.price_text(price)
    rows = [
        ("step", "/step_seconds", "seconds", budget.steps_text(answer["steps"])),
        ("range, from", "/step_seconds_low", "seconds", figures.RANGE),
        ("range, to", "/step_seconds_high", "seconds", figures.RANGE),
        ("tokens of a step", "/tokens_per_step", "count", ""),
        ("tokens a second", "/tokens_per_second", "per second", ""),
        ("tokens a second on each GPU", "/tokens_per_second_per_gpu", "per second", ""),
        *utilisation(answer),
        ("memory allocated", "/memory/allocated", "bytes", memory.FULLEST),
        ("memory reserved", "/memory/reserved", "bytes", memory.FULLEST),
        ("memory of a GPU", "/memory/capacity", "bytes", answer["machine"]),
        ("cost of a step", "/cost/usd_per_step", "USD", at_price),
        ("cost of a million tokens", "/cost/usd_per_million_tokens", "USD", at_price),
        ("cost of a billion tokens", "/cost/usd_per_billion_tokens", "USD", at_price),
        ("simulated time", "/simulated_seconds", "seconds", "until the last rank's GPU and host have ended"),
    ]
    limits = advice_text.limits_text(answer["limits"], answer["step_seconds"])
    return section("Verdict", said=[title, limits], figures=figures_of(answer, rows))


def time_section(answer: Answer) -> Section | None:
    """The section of the step; of the run, if it has fewer than two steps."""
    if answer["step_breakdown"] is None:
        return run_section(answer)
    rows = [
        (key, mark, name, cell(answer, f"/step_breakdown/{key}", "seconds"), share)
        for key, mark, name, _, share in steady.rows_of(answer["step_breakdown"])
    ]
    tables = {"parts": parts("By part", "seconds", "of the step", rows)}
    if answer["step_communication"]:
        tables["communication"] = communication_table(answer)
    return section(steady.TITLE, said=[sentence(budget.OVER)], tables=tables, bar="parts")


def run_section(answer: Answer) -> Section | None:
    if not answer["simulated_seconds"]:
        return None
    rows = [
        (key, mark, name, cell(answer, f"/breakdown/{key}", "seconds"), share)
        for key, mark, name, _, share in budget.rows_of(answer["breakdown"], answer["simulated_seconds"])
    ]
    return section(budget.TITLE, said=[sentence(budget.OVER)], tables={"parts": parts("By part", "seconds", "of the run", rows)}, bar="parts")


def communication_table(answer: Answer) -> dict[str, Any]:
    step = sum(answer["step_breakdown"].values())
    rows = []
    for number, row in sorted(enumerate(answer["step_communication"]), key=lambda each: -each[1]["seconds"]):
        kind = steady.Communication(row["kind"], row["members"], row["crosses_nodes"])
        seconds = cell(answer, f"/step_communication/{number}/seconds", "seconds")
        rows.append({"what": told(kind.name), "seconds": seconds, "share": told(row["seconds"] / step, "share of 1")})
    columns = [("what", "what", "words"), ("seconds", "time", "seconds"), ("share", "of the step", "share of 1")]
    return table("Communication by kind", columns, rows)


def memory_section(answer: Answer) -> Section | None:
    held = answer["memory"]
    if held["activations"] is None:
        return None
    rows = [
        (key, mark, name, cell(answer, f"/memory/{key}", "bytes"), share)
        for key, mark, name, _, share in memory.rows_of(held)
    ]
    title = memory.title_of(held)
    return section(title, tables={"parts": parts("By kind", "bytes", "of the GPU's", rows)}, bar="parts")


RANK_COLUMNS = (
    ("rank", "rank", "count"),
    ("stands_for", "stands for ranks", "count"),
    ("compute_seconds", "computing", "seconds"),
    ("communication_seconds", "communication", "seconds"),
    ("idle_seconds", "idle", "seconds"),
    ("allocated_bytes", "allocated", "bytes"),
    ("reserved_bytes", "reserved", "bytes"),
    ("step_seconds", "step", "seconds"),
)


def ranks_section(answer: Answer) -> Section:
    is_folded = answer["ranks_run"] != answer["ranks"]
    columns = [column for column in RANK_COLUMNS if is_folded or column[0] != "stands_for"]
    rows = [
        {key: cell(answer, f"/per_rank/{number}/{key}", unit) for key, _, unit in columns}
        for number in range(len(answer["per_rank"]))
    ]
    return section(budget.OF_RANKS, tables={"ranks": table("Time and memory", columns, rows)})


def recognised_section(answer: Answer) -> Section:
    known = known_in(answer)
    said = [f"{title}: {text}" if title else text for title, text in recognised.rows_of(known)]
    tables = {}
    if known is not None:
        layout = answer["recognised"]["layout"]
        rows = [
            {"option": told(name.replace("_", "-")), "value": {**cell(answer, place, "words"), "text": str(against.said(value))}}
            for name, value, place in ((name, value, f"/recognised/layout/{name}") for name, value in layout.items())
            if value is not None
        ]
        columns = [("option", "option of ndsim train", "words"), ("value", "value", "words")]
        tables = {"layout": table("Layout", columns, rows)}
    return section("What was recognised", said=said, tables=tables)


def advice_section(answer: Answer) -> Section | None:
    if not answer["advice"]:
        return None
    rows = [
        {
            "change": told(advice_text.change_text(row)),
            "option": cell(answer, f"/advice/{number}/option", "command"),
            "why": told(advice_text.reason_text(row)),
        }
        for number, row in enumerate(answer["advice"])
    ]
    columns = [("change", "change", "words"), ("option", "option", "command"), ("why", "why", "words")]
    return section(advice_text.title_of(known_in(answer)), tables={"changes": table("Changes", columns, rows)})


def against_section(answer: Answer) -> Section | None:
    beside = answer.get("against")
    if beside is None:
        return None
    if beside["why_not"] is not None:
        return section(against.TITLE, said=[against.why_not_text(beside["why_not"])])
    units = {"s": "seconds", "B": "bytes", "1/s": "per second"}
    rows = []
    for number, row in enumerate(beside["rows"]):
        place, unit = f"/against/rows/{number}", units[row["unit"]]
        numbers = {"run": cell(answer, f"{place}/run", unit), "train": cell(answer, f"{place}/train", unit)}
        rows.append({"what": told(row["what"]), **numbers, "ratio": cell(answer, f"{place}/ratio", "ratio")})
    columns = [("what", "what", "words"), ("run", "this run", "mixed"), ("train", "train", "mixed"), ("ratio", "run / train", "ratio")]
    beside_each_other = table("Run and prediction", columns, rows, note=f"{against.IN_A_TERMINAL}:")
    return section(against.TITLE, tables={"rows": beside_each_other}, drawing=[beside["command"]])


def made_up_section(answer: Answer) -> Section | None:
    if not answer["made_up"]:
        return None
    columns = [("line", "line", "words"), ("what", "what", "words"), ("count", "times", "count")]
    rows = [
        {key: cell(answer, f"/made_up/{number}/{key}", unit) for key, _, unit in columns}
        for number in range(len(answer["made_up"]))
    ]
    return section("Made up", said=[made_up.TITLE], tables={"values": table("Values", columns, rows)})


def verdict_of(answer: Answer, title: str) -> dict[str, Any]:
    """The form of `ndsim explain --json`; `title` names the program and the machine."""
    sections = {
        "verdict": short(answer, title),
        "budget": time_section(answer),
        "memory": memory_section(answer),
        "advice": advice_section(answer),
        "against": against_section(answer),
        "recognised": recognised_section(answer),
        "ranks": ranks_section(answer),
        "made_up": made_up_section(answer),
    }
    return {
        "command": "torchrun",
        "title": title,
        "heading": "The run in short",
        "sections": {key: each for key, each in sections.items() if each is not None},
    }
