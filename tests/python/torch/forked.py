"""`python3 -m ndsim.torchrun` in a fork of the test process, which has imported PyTorch: the import takes longer than most runs."""

import multiprocessing.process
import os
import runpy
import signal
import subprocess
import sys
import tempfile

from ndsim.torchrun import from_torch, simulated


def import_torch():
    """The test process's PyTorch, on simulated GPUs; the first test file to run imports it."""
    simulated.open_door("dgx-h100", hollow=False)
    return from_torch.import_torch()


def forked(folder, words):
    """Equivalent to `python3 -m ndsim.torchrun words`, in a fork of this process, which has imported PyTorch."""
    import_torch()
    words = list(map(str, words))
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            be_torchrun(folder, words, out, err)
        signal.alarm(120)
        _, status = os.waitpid(pid, 0)
        signal.alarm(0)
        for file in (out, err):
            file.seek(0)
        # A slow run's progress messages depend on the load of this computer.
        said = [line for line in err if not line.startswith("ndsim: after ")]
        return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), out.read(), "".join(said))


def be_torchrun(folder, words, out, err):
    """Runs in the fork."""
    code = 1
    try:
        os.chdir(folder)
        for number, file in ((1, out), (2, err)):
            os.dup2(file.fileno(), number)
        sys.stdin = open(os.devnull)
        sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)
        sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, closefd=False)
        sys.argv = ["ndsim.torchrun", *words]
        sys.path.insert(0, "")
        sys.dont_write_bytecode = True
        multiprocessing.process.ORIGINAL_DIR = os.getcwd()
        runpy.run_module("ndsim.torchrun", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
