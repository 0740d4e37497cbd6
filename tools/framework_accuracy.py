#!/usr/bin/python3
"""Runs published runs as the frameworks' own training scripts, hollow and folded, and compares their step times with the measured ones.

    tools/framework_accuracy.py --sets torchtitan-2024-12 --checkout FOLDER [--ids torchtitan-0001] [--print]

tools/framework_accuracy/runs.toml gives for each set the measured commit of the framework, the script and its arguments. FOLDER is an
unmodified checkout of that commit, and this program must be run by the Python that has its packages. Results are kept in
docs/data/framework_runs.json, so that a run is not repeated; --again repeats it. --page writes the table into docs/accuracy.md.
"""

import argparse
import base64
import itertools
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import torch_accuracy as scripts

ROOT = scripts.ROOT
RESULTS = ROOT / "docs/data/framework_runs.json"
BEGIN, END = "<!-- begin of framework_accuracy: written by tools/framework_accuracy.py -->\n", "<!-- end of framework_accuracy -->\n"
LETTERS = b"etaoinshrdlucmfwypvbgkjqxz ETAOINSHRDLUCMFWYPVBGKJQXZ0123456789.,;:-_"


def read_sets():
    with open(ROOT / "tools/framework_accuracy/runs.toml", "rb") as file:
        return tomllib.load(file)["set"]


def measured(chosen, name, records):
    """The measured seconds per step of a run, and GiB of memory if published."""
    run = chosen["runs"][name]
    if name in records:
        told = records[name]["measured"]
        return told["iter_s"], told["memory_gib"]
    return run["tokens"] / run["tokens_s_gpu"], run.get("memory_gib")


def write_tokenizer(file, tokens):
    """Writes a tokenizer of this many tokens in tiktoken's format: in a hollow run only their number matters."""
    words = [bytes([byte]) for byte in range(256)]
    letters = [bytes([letter]) for letter in LETTERS]
    longer = (b"".join(word) for length in (2, 3) for word in itertools.product(letters, repeat=length))
    words += itertools.islice(longer, tokens - len(words))
    file.write_bytes(b"".join(base64.b64encode(word) + b" %d\n" % rank for rank, word in enumerate(words)))


def write_texts(file):
    draw = random.Random(0)
    texts = (" ".join("".join(draw.choices("etaoinshrdlu", k=6)) for _ in range(200)) for _ in range(200))
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))


def write_inputs(folder):
    """Writes the inputs of scripts that are not in their repositories: {inputs} in their arguments."""
    (folder / "texts").mkdir()
    write_texts(folder / "texts" / "data.json")
    write_tokenizer(folder / "tokenizer.model", 128_000)


def command(chosen, name, records, inputs):
    """The run as a command line, started in the checkout."""
    run = chosen["runs"][name]
    ranks = str(records[name]["layout"]["gpus"] if name in records else run["ranks"])
    machine = run.get("machine", chosen["machine"])
    if machine.endswith(".toml"):
        machine = str(ROOT / "tools/framework_accuracy" / machine)
    launcher = ["python3", "-m", "ndsim.torchrun", "--machine", machine, "--nproc", ranks, "--fold", str(run.get("fold", 1)), "--hollow", "--json",
                "--flash-attention", "2"]  # before PyTorch preferred cuDNN
    said = " ".join([chosen["script"], chosen["arguments"], run.get("arguments", "")])
    return [*launcher, *shlex.split(said.replace("{inputs}", str(inputs)))]


def run(words, folder, more):
    """Makes one run: returns its seconds per step and its memory, or the error."""
    path = os.pathsep.join([str((ROOT / scripts.BUILD).resolve() / "python"), str(folder), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"} | more
    done = subprocess.run([sys.executable, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ndsim.torchrun: ")]
        return {"fault": (lines or [f"exit code {done.returncode}"])[-1].removeprefix("ndsim.torchrun: ")}
    answer = json.loads(done.stdout)
    return {"step_seconds": answer["step_seconds"], "reserved_gib": answer["memory"]["reserved"] / 2**30}


def read_results():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(name, result):
    """Updates the file, keeping what another instance of this program has written meanwhile."""
    results = read_results() | {name: result}
    rows = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results)]
    RESULTS.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def row(name, result, seconds, gib):
    if "fault" in result:
        return f"  {name:<22}{result['fault'][:90]}"
    memory = f"{result['reserved_gib']:>9.1f}{gib:>11.1f}" if gib else f"{result['reserved_gib']:>9.1f}{'-':>11}"
    return f"  {name:<22}{result['step_seconds']:>10.4g}{seconds:>11.4g}{result['step_seconds'] / seconds - 1:>+9.1%}{memory}"


def table(sets, records, results):
    """A row for each run, and the mean of each set."""
    lines = ["  run                   script, s  measured, s    error  reserved, GiB  measured"]
    everything = []
    for chosen in sets:
        errors = []
        for name in chosen["runs"]:
            if name not in results:
                continue
            seconds, gib = measured(chosen, name, records)
            lines.append(row(name, results[name], seconds, gib))
            if results[name].get("step_seconds"):
                errors.append(results[name]["step_seconds"] / seconds - 1)
        if errors:
            lines.append(mean_of(chosen["name"], errors))
            everything += errors
    return "\n".join([*lines, mean_of("all", everything)] if everything else ["no run has a result yet"]) + "\n"


def mean_of(name, errors):
    absolute = sum(map(abs, errors)) / len(errors)
    return f"  {name}: {len(errors)} runs, mean error {absolute:.1%}, bias {sum(errors) / len(errors):+.1%}, worst {max(errors, key=abs):+.1%}\n"


def write_page(text):
    page = scripts.PAGE.read_text()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"framework_accuracy.py: {scripts.PAGE} has no pair of markers: {BEGIN.strip()}, {END.strip()}")
    scripts.PAGE.write_text(page[: page.index(BEGIN)] + BEGIN + "```text\n" + text + "```\n" + page[page.index(END) :])


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[], help="sets to run, separated by commas")
    parser.add_argument("--ids", type=lambda text: text.split(","), help="only these runs of the sets")
    parser.add_argument("--checkout", type=pathlib.Path, help="checkout of the framework at the commit in runs.toml")
    parser.add_argument("--print", action="store_true", help="print the command lines, one per run, and run nothing")
    parser.add_argument("--again", action="store_true", help="repeat runs that have a result")
    parser.add_argument("--page", action="store_true", help="write the table into docs/accuracy.md")
    return parser.parse_args()


def main():
    options = read_options()
    sets, records = read_sets(), scripts.read_records()
    results = read_results()
    with tempfile.TemporaryDirectory() as folder:
        inputs = pathlib.Path(folder)
        write_inputs(inputs)
        for chosen in sets:
            for name in chosen["runs"] if chosen["name"] in options.sets else []:
                if options.ids and name not in options.ids:
                    continue
                words = command(chosen, name, records, inputs)
                if options.print:
                    print(f"{name}: {shlex.join(words)}")
                elif options.again or name not in results:
                    if options.checkout is None:
                        sys.exit("framework_accuracy.py: --checkout FOLDER of the framework is needed")
                    results[name] = run(words, options.checkout.resolve(), chosen.get("environment", {}))
                    print(f"{name}: {results[name]}", file=sys.stderr)
                    keep(name, results[name])
    if not options.print:
        print(table(sets, records, results), end="")
    if options.page:
        write_page(table(sets, records, results))


if __name__ == "__main__":
    main()
