"""What operators of PyTorch cost on the simulated GPU: docs/torch-prices.md."""

from .bill import table_text
from .price_list import Kernel, PriceList

__all__ = ["Kernel", "PriceList", "table_text"]
