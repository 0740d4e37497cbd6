"""torchrun for tests: runs PyTorch scripts in N ranks on this machine's CPU, over the real gloo.

Every line of standard input describes one run in JSON: its words, its folder, and the files for its output:

    {"words": ["--nproc-per-node", "4", "script.py"], "folder": "/tmp", "out": "out", "err": "err"}

The reply is the run's exit code. Each run is a fork of this process, which imports PyTorch once. The ranks get torchrun's
environment, and one thread each. `--nnodes 2` numbers them as on two nodes: RANK continues, LOCAL_RANK starts again.
"""

import argparse
import ctypes
import json
import os
import runpy
import signal
import sys
import time
import traceback

import torch
import torch._dynamo  # once here, instead of in each rank at its first DDP
import torch.distributed as dist


def parse(arguments):
    parser = argparse.ArgumentParser(prog="gloo.py", description=__doc__.splitlines()[0])
    parser.add_argument("--nproc-per-node", type=int, required=True, help="ranks of a node")
    parser.add_argument("--nnodes", type=int, default=1)
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def environment(rank, options, port):
    """The environment that torchrun gives a rank. The launcher hosts the store, so that no port has to be guessed."""
    return {
        "RANK": str(rank),
        "WORLD_SIZE": str(options.nnodes * options.nproc_per_node),
        "LOCAL_RANK": str(rank % options.nproc_per_node),
        "LOCAL_WORLD_SIZE": str(options.nproc_per_node),
        "GROUP_RANK": str(rank // options.nproc_per_node),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_RUN_ID": "none",
        "GLOO_SOCKET_IFNAME": "lo",
    }


def run_script(rank, options, port):
    """Runs a rank: the script, as a program. Returns its exit code."""
    os.environ.update(environment(rank, options, port))
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    sys.stdout.reconfigure(line_buffering=True, write_through=False)
    torch.set_num_threads(1)
    keep_groups()
    try:
        runpy.run_path(options.script, run_name="__main__")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        print(f"rank {rank}:\n{traceback.format_exc()}", file=sys.stderr)
        return 1
    store = dist.TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False)
    leave_together(store, options.nnodes * options.nproc_per_node)
    return 0


def leave_together(store, ranks):
    """Return when all ranks have arrived: gloo fails in a rank that still reads from a peer that is gone."""
    store.add("left", 1)
    while store.add("left", 0) < ranks:
        time.sleep(0.002)


def keep_groups():
    """Keep every process group until its process ends. If DDP drops the last reference to one, PyTorch may hang, as these tests
    occasionally did on 2.13: it joins the group's thread while holding the interpreter's lock, which that thread needs to free a
    tensor."""
    really_make = dist.distributed_c10d._new_process_group_helper
    kept = []

    def make(*args, **options):
        kept.append(really_make(*args, **options))
        return kept[-1]

    dist.distributed_c10d._new_process_group_helper = make


def end_with_the_launcher():
    """Keep a rank that hangs in gloo from outliving a test's patience."""
    set_signal_of_parents_death = 1
    ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGKILL)


def start(options):
    """Forks the ranks before the store has a thread. Returns their processes and the store at which they meet."""
    pipes, ranks = [], []
    for rank in range(options.nnodes * options.nproc_per_node):
        reads, writes = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(writes)
            end_with_the_launcher()
            code = run_script(rank, options, int(os.read(reads, 16)))
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        os.close(reads)
        pipes.append(writes)
        ranks.append(pid)
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    for pipe in pipes:
        os.write(pipe, str(store.port).encode())
        os.close(pipe)
    return ranks, store


def run(arguments):
    """The exit code of the first rank that fails, which ends the others; 0 if all succeed."""
    ranks, store = start(parse(arguments))
    result = 0
    while ranks:
        pid, status = os.wait()
        ranks.remove(pid)
        if status and not result:
            result = abs(os.waitstatus_to_exitcode(status))
            for other in ranks:
                os.kill(other, signal.SIGKILL)
    del store
    return result


def be_run(asked):
    """Runs in the fork of one run."""
    end_with_the_launcher()
    os.chdir(asked["folder"])
    for number, file in ((1, asked["out"]), (2, asked["err"])):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    code = 1
    try:
        code = run(asked["words"])
    except SystemExit as leaving:
        code = leaving.code
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main():
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            be_run(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
