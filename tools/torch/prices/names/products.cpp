#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names product_names[]{
    {Kind::product, R"(
        mm addmm _addmm_activation linear matmul _int_mm _weight_int4pack_mm _weight_int8pack_mm _mixed_dtypes_linear
        _sparse_semi_structured_mm _sparse_semi_structured_addmm _sparse_semi_structured_linear)"},
    {Kind::products, "bmm baddbmm addbmm"},
    {Kind::scaled_product, "_scaled_mm _scaled_mm_v2"},
    {Kind::grouped_product, "_grouped_mm _scaled_grouped_mm _scaled_grouped_mm_v2"},
    {Kind::convolution, R"(
        convolution _convolution convolution_overrideable cudnn_convolution cudnn_convolution_transpose
        cudnn_convolution_relu cudnn_convolution_add_relu mkldnn_convolution miopen_convolution miopen_convolution_relu
        miopen_convolution_add_relu miopen_convolution_transpose miopen_depthwise_convolution thnn_conv2d
        _slow_conv2d_forward slow_conv3d_forward conv_depthwise3d _conv_depthwise2d slow_conv_transpose2d
        slow_conv_transpose3d slow_conv_dilated2d slow_conv_dilated3d)"},
    {Kind::convolution_backward, "convolution_backward convolution_backward_overrideable _slow_conv2d_backward"},
    {Kind::attention, R"(
        _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention
        _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable
        _flash_attention_forward _flash_attention_forward_no_dropout_inplace _efficient_attention_forward
        _cudnn_attention_forward scaled_dot_product_attention _scaled_dot_product_attention
        _scaled_dot_product_attention_forward _triton_scaled_dot_attention)"},
    {Kind::attention_backward, R"(
        _scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward
        _scaled_dot_product_cudnn_attention_backward _scaled_dot_product_flash_attention_for_cpu_backward
        _scaled_dot_product_fused_attention_overrideable_backward _flash_attention_backward _efficient_attention_backward
        _cudnn_attention_backward)"},
    {Kind::layer, "_transformer_encoder_layer_fwd _native_multi_head_attention _triton_multi_head_attention"},
    {Kind::recurrence, "_cudnn_rnn miopen_rnn"},
    {Kind::recurrence_backward, "_cudnn_rnn_backward miopen_rnn_backward"},
    {Kind::factorization, R"(
        cholesky cholesky_inverse _cholesky_solve_helper geqrf linalg_cholesky_ex linalg_householder_product linalg_inv_ex
        linalg_ldl_factor_ex linalg_ldl_solve linalg_lu linalg_lu_factor_ex linalg_lu_solve linalg_qr
        linalg_solve_triangular _linalg_det _linalg_slogdet _linalg_solve_ex ormqr triangular_solve)"},
    {Kind::distances, "_cdist_forward _cdist_backward _pdist_forward _pdist_backward"},
    {Kind::transform, "_fft_c2c _fft_c2r _fft_r2c"},
};

}  // namespace

std::span<const Names> names_of_products() {
    return product_names;
}

}  // namespace sim::torch::prices
