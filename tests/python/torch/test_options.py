"""The command line: what it accepts, what it refuses in one line, and its exit codes."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "SCRIPT is missing: python3 -m ndsim.torchrun [OPTIONS] SCRIPT [ARGUMENTS]"),
        (["--nrpoc", "8"], "unknown option --nrpoc; did you mean --nproc?"),
        (["--xyzzy"], "unknown option --xyzzy; see --help"),
        (["--nproc"], "--nproc needs a value; see --help"),
        (["--nproc", "0", "x.py"], "--nproc 0 must be at least 1"),
        (["--nproc", "two", "x.py"], "--nproc two is not a number"),
        (["--watchdog=-1", "x.py"], "--watchdog -1 must be more than 0 and less than 1e6"),
        (["--flash-attention", "4", "x.py"], "--flash-attention 4 must be 1, 2 or 3"),
        (["--json=1", "x.py"], "--json takes no value; see --help"),
        (["x.py"], "there is no script x.py"),
        (["--machine", "dgx-h10", "x.py"], 'there is no machine "dgx-h10"; did you mean dgx-h100?'),
        (
            ["--nnodes", "1:4", "x.py"],
            "--nnodes 1:4 is a range of nodes, as elastic runs have; nodes do not come and go here: give one number",
        ),
        (
            ["--max-restarts", "3", "x.py"],
            "--max-restarts 3 asks for elastic restarts; a simulated run ends when a rank fails: leave it out",
        ),
        (
            ["--nproc", "8", "--nnodes", "2", "x.py"],
            "--nproc sets the total number of ranks; leave out --nnodes and --nproc-per-node, or --nproc",
        ),
    ],
)
def test_what_cannot_be_asked_ends_in_one_line(command, words, complaint):
    done = command(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"ndsim.torchrun: {complaint}\n")


def test_several_nodes_have_all_their_gpus(script):
    done = script("pass", "--nnodes", 2, "--nproc-per-node", 4)
    assert done.returncode == 2
    assert done.stderr == (
        "ndsim.torchrun: --nproc-per-node 4 with --nnodes 2: a node of dgx-h100 has 8 GPUs, and a run of several nodes "
        "uses all of them\n"
    )


def test_help_names_every_option(command):
    done = command("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("--machine NAME|FILE", "--nproc N", "--report FILE.html", "--explain-cost", "--rdzv-backend"):
        assert name in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 130


def test_without_pytorch_one_line_says_what_is_missing(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    (tmp_path / "train.py").write_text("")
    line = [sys.executable, "-c", "import sys; sys.argv = ['', '--nproc', '2', 'train.py']; sys.path.insert(0, '.')\n"]
    line[-1] += "from ndsim.torchrun.__main__ import main; sys.exit(main())"
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 7
    assert done.stderr == f"ndsim.torchrun: {tmp_path} is no PyTorch: it has no version.py\n"
