#!/usr/bin/python3
"""Runs the published PyTorch runs as PyTorch scripts in simulated time, and compares their step times with the measured ones.

    tools/torch_accuracy.py [--sets MOSAIC-H100,TORCHTITAN] [--ids torchtitan-0001] [--print]

Each run of tools/torch_accuracy/runs.toml is docs/pytorch/train_llm.py under `python3 -m ndsim.torchrun --fold 1`. Results are kept in
docs/data/torch_runs.json, so that a run is not repeated; --again repeats it. The table shows the error next to that of `ndsim train`
for the same record. --page writes it into docs/accuracy.md, and the width of a step's range into the package. Needs a build in build/
(or NDSIM_BUILD), and PyTorch.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("NDSIM_BUILD", "build"))
RECORDS = "docs/data/published_runs.json"
RESULTS = ROOT / "docs/data/torch_runs.json"
PAGE = ROOT / "docs/accuracy.md"
SPREAD = ROOT / "tools/python/ndsim/torchrun/answer/measured_spread.py"


def read_sets():
    with open(ROOT / "tools/torch_accuracy/runs.toml", "rb") as file:
        return tomllib.load(file)["set"]


def read_records():
    records = json.loads((ROOT / RECORDS).read_text())["records"]
    return {record["id"]: record for record in records}


def runs_of(chosen, records):
    """The runs of a set: the additional arguments of each command line, by id."""
    runs = chosen["runs"]
    if runs == "all":
        runs = {name: "" for name, record in records.items() if record["set"] == chosen["name"]} | chosen.get("and", {})
    unknown = set(runs) - set(records)
    if unknown:
        sys.exit(f"torch_accuracy.py: {RECORDS} has no {', '.join(sorted(unknown))}")
    return runs


def sizes(record):
    """The record's settings as arguments of train_llm.py."""
    model, layout = record["model"], record["layout"]
    said = {
        "layers": model["layers"],
        "hidden": model["hidden"],
        "ffn": model["ffn"],
        "heads": model["heads"],
        "kv-heads": model["kv_heads"],
        "vocab": model["vocab"],
        "sequence": model["seq"],
        "micro-batch": layout["mbs"],
        "global-batch": layout["gbs"],
        "recompute": record["recompute"].partition(" ")[0],
        "attention": "flash" if record["flash_attention"] else "plain",
    }
    return [word for name, value in said.items() if value is not None for word in (f"--{name}", str(value))]


def flash_version(chosen, record):
    """The version in the record, or else that of the set's framework."""
    said = str(record["flash_attention"]).removeprefix("v")
    return int(said) if said.isdigit() else chosen.get("flash_attention", 2)


def command(chosen, more, record):
    """The run as a command line."""
    ranks = str(record["layout"]["gpus"])
    # All ranks of DDP and of FSDP do the same.
    launcher = ["python3", "-m", "ndsim.torchrun", "--machine", chosen["machine"], "--nproc", ranks, "--fold", "1", "--json"]
    if record["flash_attention"]:
        launcher += ["--flash-attention", str(flash_version(chosen, record))]
    if chosen.get("fused"):
        launcher += ["--compiled"]
    # If an option is repeated, the last one counts.
    script = ["docs/pytorch/train_llm.py", *sizes(record), *shlex.split(chosen["arguments"]), *shlex.split(more), "--steps", "2"]
    return [*launcher, *script]


def run(words, more):
    """Makes one run: returns its step's time and memory, or the error."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / BUILD / "python")} | more
    words = [sys.executable, *words[1:]]
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        full = re.search(r"CUDA out of memory. Tried to allocate [0-9.]+ .iB", done.stderr)
        if full:
            return {"fault": full.group()}
        lines = [line for line in done.stderr.splitlines() if line.startswith("ndsim.torchrun: ")]
        return {"fault": (lines or [f"exit code {done.returncode}"])[-1].removeprefix("ndsim.torchrun: ")}
    answer = json.loads(done.stdout)
    return {
        "step_seconds": answer["step_seconds"],
        "reserved_gib": answer["memory"]["reserved"] / 2**30,
    }


def write_results(results):
    """Writes one line per run, so that a changed run is a changed line."""
    rows = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results)]
    RESULTS.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def predictions():
    """The predictions of `ndsim train` for the same records, and the measured values."""
    said = subprocess.run([ROOT / BUILD / "bin/ndsim", "validate", RECORDS, "--json"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return {record["id"]: record for record in json.loads(said.stdout)["records"]}


def errors(results, predicted):
    """The errors of the script and of `ndsim train`, by id."""
    found = {}
    for name, result in results.items():
        record = predicted.get(name)
        if record and record["measured_iter_s"] and result.get("step_seconds"):
            found[name] = (result["step_seconds"] / record["measured_iter_s"] - 1, record["error"])
    return found


def least_that_holds(weighted, share=0.8):
    """The weighted quantile: the smallest size that covers this share of the weights; weighted: sizes with their weights."""
    reached, whole = 0, sum(weight for _, weight in weighted)
    for size, weight in sorted(weighted):
        reached += weight
        if reached >= share * whole * (1 - 1e-9):
            return size


def spread_of(errors_of_sets):
    """Half the width, as a logarithm, of a range that holds 8 of 10 measured steps, whether runs or sets have equal weight.

    The larger of the two, rounded up to hundredths, as for the range of a prediction."""
    sizes = {name: [abs(math.log1p(error)) for error in found] for name, found in errors_of_sets.items() if found}
    weightings = ([(size, weight(found)) for found in sizes.values() for size in found] for weight in (lambda _: 1, lambda found: 1 / len(found)))
    return math.ceil(100 * max(map(least_that_holds, weightings))) / 100


def generation_of(machine):
    said = subprocess.run([ROOT / BUILD / "bin/ndsim", "hardware", machine, "--json"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(said.stdout)["accelerator"]["generation"]


def spreads(sets, records, results, predicted):
    """The width of the range of steps, by GPU generation."""
    compared, found = errors(results, predicted), {}
    for chosen in sets:
        of_set = found.setdefault(generation_of(chosen["machine"]), {})
        of_set[chosen["name"]] = [compared[name][0] for name in runs_of(chosen, records) if name in compared]
    return {generation: spread_of(found[generation]) for generation in sorted(found)}


def write_spreads(found):
    rows = ", ".join(f"{json.dumps(name)}: {size}" for name, size in found.items())
    text = SPREAD.read_text()
    SPREAD.write_text(re.sub(r"^SPREAD = .*$", f"SPREAD = {{{rows}}}", text, flags=re.MULTILINE))


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def table(sets, records, results, predicted):
    """A row for each set, and the runs with the largest errors."""
    compared = errors(results, predicted)
    lines = ["  set              runs    script      bias  ndsim train      bias"]

    def row(name, pairs):
        cells = [f"{mean(abs(pair[which]) for pair in pairs):>7.1%}  {mean(pair[which] for pair in pairs):>+8.1%}" for which in (0, 1)]
        lines.append(f"  {name:<15}{len(pairs):>6}   {cells[0]}      {cells[1]}")

    for chosen in sets:
        pairs = [compared[name] for name in runs_of(chosen, records) if name in compared]
        if pairs:
            row(chosen["name"], pairs)
    if compared:
        row("all", list(compared.values()))
        lines += ["", "Furthest off:"]
    else:
        lines = ["no run has a result yet"]
    for name in sorted(compared, key=lambda name: -abs(compared[name][0]))[:12]:
        script, train = compared[name]
        measured = predicted[name]["measured_iter_s"]
        lines.append(f"  {name:<21}{script:>+7.1%}  {results[name]['step_seconds']:>9.4g} s as a script, {measured:.4g} s measured;"
                     f" ndsim train {train:+.1%}")
    faults = [f"  {name}: {result['fault']}" for name, result in results.items() if "fault" in result]
    return "\n".join(lines + (["", "Not run to the end:", *faults] if faults else [])) + "\n"


BEGIN, END = "<!-- begin of torch_accuracy: written by tools/torch_accuracy.py -->\n", "<!-- end of torch_accuracy -->\n"
SECTION = """
## PyTorch scripts
The published runs that were eager or compiled PyTorch are also written as one script, `docs/pytorch/train_llm.py`, which
`python3 -m ndsim.torchrun --fold 1` runs with the sizes of each; `tools/torch_accuracy/runs.toml` lists them, and says of the others why not.
`tools/torch_accuracy.py --page` runs what has no result yet, and writes this table. *script* is the error of the step's time in such runs, and
*ndsim train* the error of the prediction above for the same records. Results are kept in `docs/data/torch_runs.json`, and a test repeats some.

"""
BEHIND = """
A script is priced operator by operator, so that what the framework really does is in it: FSDP's copies, casts and divisions, which
collective waits for which, optimizers in many kernels or few; and it needs no assumptions about layouts. So is what a trainer does beside
the training, as far as its source says it: Composer, with which llm-foundry's runs were made, computes two metrics of the logits after each
micro-batch, a float32 cross entropy each (`--metrics 2` in `runs.toml`). What remains has two reasons. The rest of what a trainer does in a step (its loader, logs and
callbacks in Python) and that collectives in training take longer than alone (`busy_collective`: 1.3 on Hopper) are not in it: small steps come out too
short. Where a GPU ends full, `torch.compile` would have kept less for the backward pass: a compiled model keeps here what an eager one does.
"""


def write_page(text):
    """Puts the table between its markers; the first time, with the section around them."""
    page = PAGE.read_text()
    if BEGIN not in page:
        page += SECTION + BEGIN + END + BEHIND
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"torch_accuracy.py: {PAGE} has no pair of markers: {BEGIN.strip()}, {END.strip()}")
    PAGE.write_text(page[: page.index(BEGIN)] + BEGIN + "```text\n" + text + "```\n" + page[page.index(END) :])


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these sets, separated by commas")
    parser.add_argument("--ids", type=lambda text: text.split(","), help="only these runs, separated by commas")
    parser.add_argument("--print", action="store_true", help="print the command lines, one per run, and run nothing")
    parser.add_argument("--again", action="store_true", help="repeat runs that have a result")
    parser.add_argument("--jobs", type=int, default=1, help="number of runs in parallel")
    parser.add_argument("--page", action="store_true", help="write the table into docs/accuracy.md")
    return parser.parse_args()


def chosen_runs(options, sets, records):
    """Set, id and further arguments of the requested runs."""
    for chosen in sets:
        if options.sets and chosen["name"] not in options.sets:
            continue
        for name, more in runs_of(chosen, records).items():
            if not options.ids or name in options.ids:
                yield chosen, name, more


def passes(record):
    """The number of layers that a step computes over all micro-batches, which determines how long a run takes here."""
    layout = record["layout"]
    return record["model"]["layers"] * ((layout["gbs"] or 1) // (layout["gpus"] * (layout["mbs"] or 1)) or 1)


def run_all(wanted, jobs, results):
    """Makes the requested runs, and saves each result as it arrives."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run, words, chosen.get("environment", {})): name for name, words, chosen in wanted}
        for done in concurrent.futures.as_completed(running):
            name = running[done]
            results[name] = done.result()
            print(f"{name}: {results[name]}", file=sys.stderr)
            write_results(results)


def main():
    options = read_options()
    sets, records = read_sets(), read_records()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    wanted = [(name, command(chosen, more, records[name]), chosen) for chosen, name, more in chosen_runs(options, sets, records)]
    if options.print:
        for name, words, chosen in wanted:
            settings = [f"{key}={value}" for key, value in chosen.get("environment", {}).items()]
            print(f"{name}: {shlex.join([*settings, *words])}")
        return
    wanted = [each for each in wanted if options.again or each[0] not in results]
    run_all(sorted(wanted, key=lambda each: passes(records[each[0]])), options.jobs, results)
    predicted = predictions()
    text = table(sets, records, results, predicted)
    print(text, end="")
    if options.page:
        write_page(text)
        write_spreads(spreads(sets, records, results, predicted))


if __name__ == "__main__":
    main()
