"""Optimizers that are one kernel over all parameters of a type: Apex's and TransformerEngine's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import torch

from .kernels import lists, optimizers
from .refused import not_simulated


def of_one_kind(rows: Iterable[tuple[Any, ...]]) -> list[list[list[Any]]]:
    """Groups rows of tensors by their types; each group is a list per column."""

    def kinds(row: tuple[Any, ...]) -> list[str]:
        return [str(tensor.dtype) for tensor in row]

    return [[list(one) for one in zip(*rows_of_kind)] for _, rows_of_kind in itertools.groupby(sorted(rows, key=kinds), kinds)]


class FusedAdam(torch.optim.Optimizer):
    """Adam, or AdamW with `adam_w_mode`; the step count is kept per parameter group."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        bias_correction: bool = True,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        adam_w_mode: bool = True,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        set_grad_none: bool | None = True,
        capturable: bool = False,
        master_weights: bool = False,
        **settings: Any,
    ) -> None:
        if amsgrad:
            raise RuntimeError("FusedAdam does not support the AMSGrad variant.")
        if capturable or master_weights or settings.get("use_decoupled_grad"):
            not_simulated("FusedAdam with capturable or master_weights", "keep the master weights in the framework")
        defaults = {"lr": lr, "bias_correction": bias_correction, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, defaults)
        self.adam_w_mode = optimizers.ADAMW if adam_w_mode else optimizers.ADAM_WITH_L2
        self.set_grad_none = set_grad_none
        self.skipped: Any = None

    def zero_grad(self, set_to_none: bool | None = None) -> None:
        chosen = self.set_grad_none if set_to_none is None else set_to_none
        super().zero_grad(set_to_none=chosen is None or chosen)

    def initialize_state(self, param: Any, *rest: Any) -> None:
        state = self.state[param]
        state["exp_avg"] = torch.zeros_like(param, dtype=torch.float32)
        state["exp_avg_sq"] = torch.zeros_like(param, dtype=torch.float32)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None, *rest: Any) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            if not params:
                continue
            group["step"] = group.get("step", 0) + 1
            for param in params:
                if not self.state[param]:
                    self.initialize_state(param)
            if self.skipped is None or self.skipped.device != params[0].device:
                self.skipped = torch.zeros(1, dtype=torch.int, device=params[0].device)
            states = (self.state[param] for param in params)
            rows = [(p.grad, p, state["exp_avg"], state["exp_avg_sq"]) for p, state in zip(params, states)]
            for of_kind in of_one_kind(rows):
                optimizers.multi_tensor_adam(
                    self.skipped,
                    *of_kind,
                    group["lr"],
                    *group["betas"],
                    group["eps"],
                    int(group["step"]),
                    self.adam_w_mode,
                    bool(group["bias_correction"]),
                    group["weight_decay"],
                )
        return loss


class FusedSGD(torch.optim.Optimizer):
    """SGD with momentum."""

    def __init__(
        self,
        params: Any,
        lr: float,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        wd_after_momentum: bool = False,
        **settings: Any,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
        }
        super().__init__(params, defaults)
        self.wd_after_momentum = wd_after_momentum
        self.skipped: Any = None

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            if not params:
                continue
            is_first = not self.state[params[0]]
            for param in params:
                if not self.state[param]:
                    self.state[param]["momentum_buffer"] = torch.zeros_like(param, dtype=torch.float32)
            if self.skipped is None:
                self.skipped = torch.zeros(1, dtype=torch.int, device=params[0].device)
            settings = (group[name] for name in ("weight_decay", "momentum", "dampening", "lr", "nesterov"))
            rows = [(p.grad, p, self.state[p]["momentum_buffer"]) for p in params]
            given = list(settings)
            for of_kind in of_one_kind(rows):
                lists.multi_tensor_sgd(self.skipped, *of_kind, *given, is_first, self.wd_after_momentum, 1.0)
        return loss
