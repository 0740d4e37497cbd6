"""on_the_host.py (SCRIPT | -m MODULE) [ARGUMENTS]: runs a script on PyTorch as it is, with its own gloo, where there is no GPU.

A build for CUDA cannot be imported without CUDA's libraries: there the slot stands in for them, with no GPU behind it.
"""

import os
import runpy
import sys

from ndsim.torch.making import builder, installed, loader


def main(words):
    """Run what the words name."""
    if installed.find_torch().cuda is not None:
        loader.load(builder.build(), 0)
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")
        # PyTorch's autograd threads may still give back what the last step had, for which Python, where it is being taken down,
        # ends them in a way that aborts the process.
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
