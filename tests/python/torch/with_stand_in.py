"""with_stand_in.py LIBRARY SCRIPT: runs a script on the simulated GPU whose times are worked out by hand.

Any Python with PyTorch can run it: of ndsim it uses only the package that opens the door. The script gets the stand-in as `gpu`,
and its host's time in microseconds as `us`.
"""

import ctypes
import importlib
import importlib.util
import os
import pathlib
import runpy
import sys

PACKAGE = pathlib.Path(__file__).parents[3] / "tools" / "python" / "ndsim" / "torch"


def door():
    """ndsim.torch.door, without the rest of ndsim."""
    spec = importlib.util.spec_from_file_location("ndsim_torch", PACKAGE / "__init__.py", submodule_search_locations=[str(PACKAGE)])
    sys.modules["ndsim_torch"] = importlib.util.module_from_spec(spec)
    return importlib.import_module("ndsim_torch.door")


def main(library, script):
    """Load the replacement of CUDA, and run the script."""
    gpu = ctypes.CDLL(library)
    gpu.stand_in_gpu.restype = ctypes.c_void_p
    for name in ("host_time", "kernels", "streams", "held", "used", "marks"):
        getattr(gpu, f"stand_in_{name}").restype = ctypes.c_int64
    opened = door().open_door(gpu.stand_in_gpu())
    runpy.run_path(script, {"gpu": gpu, "us": lambda: gpu.stand_in_host_time() // 1_000_000, "built": opened.built}, "__main__")
    # Ends like a rank: PyTorch's autograd threads may still be releasing memory of the last step, and while Python shuts down, it
    # ends such threads in a way that aborts the process.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
