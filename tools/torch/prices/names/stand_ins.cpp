// Stand-ins for other packages' kernels, as operators of the namespace ndsim
// (tools/python/ndsim/torchrun/stand_ins/kernels).
#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names stand_in_names[]{
    {Kind::attention, "flex_attention _flash_attention_forward_into"},
    {Kind::attention_backward, "flex_attention_backward"},
    {Kind::pairs, "flex_mask_blocks"},
    {Kind::lists, R"(
        multi_tensor_adam multi_tensor_lion multi_tensor_sgd multi_tensor_scale multi_tensor_scale_by multi_tensor_axpby)"},
    {Kind::list_norms, "multi_tensor_l2norm"},
    {Kind::product, "weight_gradient weight_gradient_into"},
    {Kind::scaled_product, "fp8_mm fp8_mm_into"},
    {Kind::grouped_product, R"(
        grouped_linear grouped_linear_dgrad grouped_linear_wgrad grouped_linear_wgrad_into grouped_mm grouped_mm_of_rows)"},
    {Kind::reduction, R"(
        add_norm add_norm_backward cross_entropy_forward layernorm_fwd rmsnorm_fwd scaled_softmax_fwd
        scaled_masked_softmax_fwd scaled_causal_softmax_fwd scaled_softmax_bwd fp8_amax grouped_bias_gradients
        vocabulary_statistics vocabulary_loss
        liger_rms_norm liger_add_rms_norm liger_rms_norm_backward liger_layer_norm liger_layer_norm_backward
        liger_cross_entropy liger_cross_entropy_losses)"},
    {Kind::normalization_backward, "layernorm_bwd rmsnorm_bwd"},
    {Kind::elementwise, R"(
        rotary cross_entropy_backward fused_rope_fwd fused_rope_bwd
        liger_rope liger_glu liger_glu_backward liger_scale silu_and_mul silu_and_mul_backward)"},
    {Kind::move, R"(
        fp8_cast fp8_cast_blocks fp8_transpose fp8_scale_of fp8_update_scales
        fill_indices moe_row_map moe_permute_rows moe_unpermute_rows moe_unpermute_rows_bwd moe_sort_chunks)"},
};

}  // namespace

std::span<const Names> names_of_stand_ins() {
    return stand_in_names;
}

}  // namespace sim::torch::prices
