"""TransformerEngine's layers for PyTorch, computed by PyTorch's operators and priced as the kernels that they represent."""

from . import common, pytorch

__version__ = "2.9.0"
__all__ = ["common", "pytorch"]
