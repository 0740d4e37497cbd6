"""Why the simulated GPU cannot be built or loaded here, in one line."""


class CannotBuild(RuntimeError):
    """There is no PyTorch, or no compiler, or the compiler refuses the sources."""
