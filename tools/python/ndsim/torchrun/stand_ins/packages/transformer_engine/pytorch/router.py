"""Expert selection in one kernel: refused, by name."""

from ndsim.torchrun.refusals import refuser

WHY = "leave --moe-router-fusion out"

fused_topk_with_score_function = refuser("transformer_engine.pytorch.router.fused_topk_with_score_function", WHY)
fused_compute_score_for_moe_aux_loss = refuser("transformer_engine.pytorch.router.fused_compute_score_for_moe_aux_loss", WHY)
fused_moe_aux_loss = refuser("transformer_engine.pytorch.router.fused_moe_aux_loss", WHY)
