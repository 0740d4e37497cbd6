"""Liger's kernels (0.5 to 0.8), as its functions launch them: with row addresses and strides.

Whole tensors are passed on, because its functions give them row by row.
"""

from __future__ import annotations

from typing import Any

from ..kernels import liger, liger_losses

Tensor = Any


def rms_norm(
    Y_ptr: Tensor, X_ptr: Tensor, W_ptr: Tensor, RSTD_ptr: Tensor, eps: float, offset: float, casting_mode: Any
) -> None:
    liger.rms_norm(X_ptr, W_ptr, eps, offset, int(casting_mode), Y_ptr, RSTD_ptr)


def add_rms_norm(
    Y_ptr: Tensor,
    S_ptr: Tensor,
    X_ptr: Tensor,
    R_ptr: Tensor,
    W_ptr: Tensor,
    RSTD_ptr: Tensor,
    eps: float,
    offset: float,
    casting_mode: Any,
) -> None:
    liger.add_rms_norm(X_ptr, R_ptr, W_ptr, eps, offset, int(casting_mode), Y_ptr, S_ptr, RSTD_ptr)


def rms_norm_backward(
    dY_ptr: Tensor,
    dX_ptr: Tensor,
    X_ptr: Tensor,
    W_ptr: Tensor,
    RSTD_ptr: Tensor,
    dW_ptr: Tensor,
    offset: float,
    casting_mode: Any,
    dS_out_ptr: Tensor = None,
    has_dS_out: bool = False,
    COMPUTE_DW: bool = True,
) -> None:
    of_total = dS_out_ptr if has_dS_out else None
    dw = dW_ptr if COMPUTE_DW else None
    liger.rms_norm_backward(dY_ptr, of_total, X_ptr, W_ptr, RSTD_ptr, offset, int(casting_mode), dX_ptr, dw)


def layer_norm(
    Y_ptr: Tensor, X_ptr: Tensor, W_ptr: Tensor, B_ptr: Tensor, Mean_ptr: Tensor, RSTD_ptr: Tensor, eps: float
) -> None:
    liger.layer_norm(X_ptr, W_ptr, B_ptr, eps, Y_ptr, Mean_ptr, RSTD_ptr)


def layer_norm_backward(
    X_ptr: Tensor,
    W_ptr: Tensor,
    Mean_ptr: Tensor,
    RSTD_ptr: Tensor,
    DX_ptr: Tensor,
    DW_ptr: Tensor,
    DB_ptr: Tensor,
    DY_ptr: Tensor,
    COMPUTE_DW: bool = True,
    COMPUTE_DB: bool = True,
) -> None:
    sums = (DW_ptr if COMPUTE_DW else None, DB_ptr if COMPUTE_DB else None)
    liger.layer_norm_backward(DY_ptr, X_ptr, W_ptr, Mean_ptr, RSTD_ptr, DX_ptr, *sums)


def rope(
    q_ptr: Tensor, k_ptr: Tensor, cos: Tensor, sin: Tensor, hd: int, rd: int | None = None, BACKWARD_PASS: bool = False
) -> None:
    liger.rope(q_ptr, k_ptr, cos, sin, hd if rd is None else rd, BACKWARD_PASS)


def swiglu(a_ptr: Tensor, b_ptr: Tensor, c_ptr: Tensor, gate_multiplier: float = 1.0) -> None:
    liger.glu(a_ptr, b_ptr, gate_multiplier, False, c_ptr)


def swiglu_backward(dc_ptr: Tensor, a_ptr: Tensor, b_ptr: Tensor, gate_multiplier: float = 1.0) -> None:
    liger.glu_backward(dc_ptr, a_ptr, b_ptr, gate_multiplier, False, a_ptr, b_ptr)


def swiglu_of_both(y_ptr: Tensor, c_ptr: Tensor, ffn_size: int) -> None:
    liger.glu(*y_ptr.split(ffn_size, -1), 1.0, False, c_ptr)


def swiglu_of_both_backward(dc_ptr: Tensor, y_ptr: Tensor, dy_ptr: Tensor, ffn_size: int) -> None:
    liger.glu_backward(dc_ptr, *y_ptr.split(ffn_size, -1), 1.0, False, *dy_ptr.split(ffn_size, -1))


def geglu(a: Tensor, b: Tensor, c: Tensor) -> None:
    liger.glu(a, b, 1.0, True, c)


def geglu_backward(dc: Tensor, a: Tensor, b: Tensor) -> None:
    liger.glu_backward(dc, a, b, 1.0, True, a, b)


def scale(X_ptr: Tensor, grad_output_ptr: Tensor) -> None:
    liger.scale_in_place(X_ptr, grad_output_ptr)


def cross_entropy(
    X_ptr: Tensor,
    Y_ptr: Tensor,
    weight_ptr: Tensor,
    loss_ptr: Tensor,
    z_loss_ptr: Tensor,
    n_non_ignore: float,
    sum_non_ignore_weight: float,
    weight_sum: float,
    ignore_index: int,
    lse_square_scale: float,
    label_smoothing: float,
    reduction: str,
    softcap: float | None,
    token_accuracy_ptr: Tensor = None,
    predicted_tokens_ptr: Tensor = None,
    HAS_GRADIENTS: bool = True,
) -> None:
    operator = liger_losses.cross_entropy if HAS_GRADIENTS else liger_losses.cross_entropy_losses
    counts = (n_non_ignore, sum_non_ignore_weight) if reduction == "mean" else (1.0, 1.0)
    written = (loss_ptr, z_loss_ptr, token_accuracy_ptr, predicted_tokens_ptr)
    how = (weight_ptr, ignore_index, label_smoothing, lse_square_scale, softcap, *counts, weight_sum)
    operator(X_ptr, *written, Y_ptr, *how)


KERNELS = {
    "liger_kernel.ops.rms_norm._rms_norm_forward_kernel": rms_norm,
    "liger_kernel.ops.rms_norm._block_rms_norm_forward_kernel": rms_norm,
    "liger_kernel.ops.rms_norm._rms_norm_backward_kernel": rms_norm_backward,
    "liger_kernel.ops.rms_norm._block_rms_norm_backward_kernel": rms_norm_backward,
    "liger_kernel.ops.fused_add_rms_norm._fused_add_rms_norm_forward_kernel": add_rms_norm,
    "liger_kernel.ops.fused_add_rms_norm._fused_add_rms_norm_backward_kernel": rms_norm_backward,
    "liger_kernel.ops.layer_norm._layer_norm_forward_kernel": layer_norm,
    "liger_kernel.ops.layer_norm._layer_norm_backward_kernel": layer_norm_backward,
    "liger_kernel.ops.rope._triton_rope": rope,
    "liger_kernel.ops.swiglu._swiglu_forward_kernel": swiglu,
    "liger_kernel.ops.swiglu._swiglu_backward_kernel": swiglu_backward,
    "liger_kernel.ops.swiglu._swiglu_forward_kernel_tiled": swiglu,
    "liger_kernel.ops.swiglu._swiglu_backward_kernel_tiled": swiglu_backward,
    "liger_kernel.ops.swiglu._swiglu_fused_gate_up_forward_kernel": swiglu_of_both,
    "liger_kernel.ops.swiglu._swiglu_fused_gate_up_backward_kernel": swiglu_of_both_backward,
    "liger_kernel.ops.geglu._geglu_tanh_forward_kernel": geglu,
    "liger_kernel.ops.geglu._geglu_tanh_backward_kernel": geglu_backward,
    "liger_kernel.ops.cross_entropy.liger_cross_entropy_kernel": cross_entropy,
    "liger_kernel.ops.utils.element_mul_kernel": scale,
}
