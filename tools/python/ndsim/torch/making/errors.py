"""The error that the simulated GPU cannot be built or loaded here, with a one-line message."""


class CannotBuild(RuntimeError):
    """There is no PyTorch or no compiler, or the compiler rejects the sources."""
