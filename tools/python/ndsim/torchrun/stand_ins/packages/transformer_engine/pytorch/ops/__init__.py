"""Operations that TransformerEngine fuses itself: refused, by name."""

from __future__ import annotations

from typing import Any

from ndsim.torchrun.refusals import refuser


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return refuser(f"transformer_engine.pytorch.ops.{name}", "its modules, such as transformer_engine.pytorch.Linear, do the same")
