"""on_the_host.py (SCRIPT | -m MODULE) [ARGUMENTS]: runs a script on unmodified PyTorch, with its own gloo, without a GPU.

A CUDA build cannot be imported without CUDA's libraries: the slot replaces them, with no GPU behind it.
"""

import os
import runpy
import sys

from ndsim.torch.making import builder, installed, loader


def main(words):
    """Run the program that the words name."""
    if installed.find_torch().cuda is not None:
        loader.load(builder.build(), 0)
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")
        # PyTorch's autograd threads may still be releasing memory of the last step. While Python shuts down, it ends such threads
        # in a way that aborts the process.
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
