"""Anything that cannot run is refused with the script's line and the reason; anything merely useless here is accepted."""

import pytest

OWN_KERNELS = "a custom kernel cannot be priced; use PyTorch operators"
ELASTIC = "this launcher starts the ranks once; a simulated run ends when a rank fails"
PEERS = "the memory of a simulated GPU is that of one process, which no other reads; use collectives"
SHARED = "the memory of a simulated GPU is that of one process; share tensors of the host"
REMOTE = "remote procedure calls have no simulated time; ranks communicate by collectives, send and recv"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "import torch.distributed.rpc as rpc\nrpc.init_rpc('a', rank=0, world_size=1)",
            f"train.py:2: torch.distributed.rpc.init_rpc cannot run here: {REMOTE}",
        ),
        (
            "from torch.utils.cpp_extension import load\n\nload(name='a', sources=['a.cu'])",
            f"train.py:3: torch.utils.cpp_extension.load of a cannot run here: {OWN_KERNELS}",
        ),
        ("import cupy", f"train.py:1: import cupy cannot run here: {OWN_KERNELS}"),
        ("import bitsandbytes", f"train.py:1: import bitsandbytes cannot run here: {OWN_KERNELS}"),
        (
            "import torch.distributed._symmetric_memory as memory\nmemory.empty(4, device='cuda')",
            f"train.py:2: torch.distributed._symmetric_memory.empty cannot run here: {PEERS}",
        ),
        (
            "from torch.distributed.launcher.api import elastic_launch\nelastic_launch(None, None)",
            f"train.py:2: torch.distributed.launcher.api.elastic_launch cannot run here: {ELASTIC}",
        ),
        (
            "import torch, torch.multiprocessing as mp\nmp.get_context('spawn').Process(target=print, args=(torch.ones(1).cuda(),)).start()",
            f"train.py:2: torch.storage.UntypedStorage._share_cuda_ cannot run here: {SHARED}",
        ),
        (
            "import threading\n"
            "from ndsim.torchrun.refusals import check_thread\n"
            "class Thread(threading.Thread):\n"
            "    def run(self):\n"
            "        try:\n"
            "            check_thread('all_reduce')\n"
            "        except Exception as refused:\n"
            "            self.refused = refused\n"
            "thread = Thread()\n"
            "thread.start()\n"
            "thread.join()\n"
            "raise thread.refused",
            "train.py:6: all_reduce in a second thread cannot run here: a rank communicates from its first thread, in one "
            "order on all ranks",
        ),
    ],
)
def test_it_is_refused(script, text, complaint):
    done = script(text, "--nproc", 2)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"ndsim.torchrun: {complaint}"


def test_a_script_that_spawns_is_refused_at_the_same_line(script):
    done = script("import cupy")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("ndsim.torchrun: train.py:1: import cupy cannot run here")


def test_a_script_may_know_a_way_without(printed):
    text = """
        import importlib.util
        try:
            import cupy
        except ImportError:
            print("without", importlib.util.find_spec("cupy"))
    """
    assert printed(text, "--nproc", 1) == ["without None"]


def test_settings_of_cudnn_are_accepted(printed):
    text = """
        import torch
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.deterministic = True
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        print("accepted")
    """
    assert printed(text, "--nproc", 1) == ["accepted"]
