#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names elementwise_names[]{
    {Kind::elementwise, R"(
        abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor
        bitwise_left_shift bitwise_right_shift __and__ __or__ __xor__ __lshift__ __rshift__ __iand__ __ior__ __ilshift__
        __irshift__ ceil clamp clamp_max clamp_min clip complex conj_physical _conj_physical copysign cos cosh deg2rad digamma
        div divide eq erf erfc erfinv exp exp2 expm1 float_power floor floor_divide fmax fmin fmod frac frexp gcd ge greater gt
        heaviside hypot i0 igamma igammac isfinite isinf isnan isneginf isposinf lcm ldexp le lerp less lgamma linalg_cross
        log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit logit_backward lt
        masked_fill maximum minimum mul multiply mvlgamma nan_to_num ne neg negative nextafter not_equal polar polygamma
        positive pow rad2deg reciprocal remainder round rsqrt rsub sgn sign signbit sin sinc sinh sqrt square sub subtract
        tan tanh tanh_backward to tril triu true_divide trunc where xlogy _compute_linear_combination)"},
    {Kind::elementwise, R"(
        special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1
        special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v
        special_chebyshev_polynomial_w special_entr special_erf special_erfcx special_expit special_hermite_polynomial_h
        special_hermite_polynomial_he special_i0e special_i1 special_i1e special_laguerre_polynomial_l
        special_legendre_polynomial_p special_log1p special_log_ndtr special_modified_bessel_i0 special_modified_bessel_i1
        special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri special_scaled_modified_bessel_k0
        special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
        special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_spherical_bessel_j0
        special_xlog1py special_zeta)"},
    // Activations, losses and dropout.
    {Kind::elementwise, R"(
        binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits celu dropout elu elu_backward
        feature_dropout _fused_dropout gelu gelu_backward glu glu_backward glu_backward_jvp glu_jvp hardshrink
        hardshrink_backward hardsigmoid hardsigmoid_backward hardswish hardswish_backward hardtanh hardtanh_backward
        huber_loss huber_loss_backward leaky_relu leaky_relu_backward log_sigmoid_backward log_sigmoid_forward _masked_scale
        mish mish_backward mse_loss mse_loss_backward native_dropout native_dropout_backward prelu prelu_backward
        _prelu_kernel _prelu_kernel_backward relu relu6 rrelu_with_noise rrelu_with_noise_backward sigmoid sigmoid_backward
        silu silu_backward smooth_l1_loss smooth_l1_loss_backward soft_margin_loss softplus softplus_backward softshrink
        softshrink_backward threshold threshold_backward)"},
    // Cells of recurrent networks, and operators that PyTorch has fused for other modules.
    {Kind::elementwise, R"(
        _thnn_fused_gru_cell _thnn_fused_gru_cell_backward _thnn_fused_lstm_cell _thnn_fused_lstm_cell_backward_impl
        _transform_bias_rescale_qkv batch_norm_elemt batch_norm_backward_elemt)"},
    // Random numbers whose parameters are tensors.
    {Kind::elementwise, R"(
        binomial _sample_dirichlet _standard_gamma _standard_gamma_grad _dirichlet_grad _philox_key_fold_in
        _philox_key_split)"},
    // Conversions to and from integers.
    {Kind::elementwise, R"(
        dequantize fake_quantize_per_channel_affine_cachemask fake_quantize_per_tensor_affine_cachemask
        _fake_quantize_learnable_per_channel_affine _fake_quantize_learnable_per_channel_affine_backward
        _fake_quantize_learnable_per_tensor_affine _fake_quantize_learnable_per_tensor_affine_backward
        _fake_quantize_per_tensor_affine_cachemask_tensor_qparams _fused_moving_avg_obs_fq_helper int_repr
        _make_per_channel_quantized_tensor _make_per_tensor_quantized_tensor quantize_per_channel quantize_per_tensor
        quantize_per_tensor_dynamic)"},
    // Copies that torch.compile fuses into their readers.
    {Kind::elementwise, R"(
        cat concat stack hstack vstack flip roll repeat tile constant_pad_nd slice_backward select_backward
        _to_copy copy clone contiguous resolve_conj resolve_neg ones_like_copy alias_copy expand_copy detach_copy view_copy
        lift_fresh_copy)"},
};

}  // namespace

std::span<const Names> names_of_elementwise() {
    return elementwise_names;
}

}  // namespace sim::torch::prices
