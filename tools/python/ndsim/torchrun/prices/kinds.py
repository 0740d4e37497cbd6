"""What decides an operator's price, for each operator by its name.

Names are those of ATen without overload and without the underscore of in-place forms: PyTorch 1.13's, and those that 2.x
has besides. _foreach_NAME has the kind of NAME, as one kernel. An operator that has no row here is priced as one that reads
its inputs and writes its outputs, and told as guessed.
"""

from __future__ import annotations

import enum


class Kind(enum.Enum):
    """How an operator is priced."""

    VIEW = "a view or metadata: no kernel"
    ALLOCATE = "new memory: no kernel"
    PRODUCT = "matrix product"
    PRODUCTS = "products side by side"
    CONVOLUTION = "convolution"
    CONVOLUTION_BACKWARD = "gradients of a convolution"
    ATTENTION = "attention in one kernel"
    ATTENTION_BACKWARD = "gradients of attention in one kernel"
    LAYER = "a transformer layer, or its attention with projections, in one call"
    ELEMENTWISE = "reads its inputs and writes its outputs, element by element"
    REDUCTION = "reads its inputs and writes less, or reads rows and writes rows"
    MOVE = "reads its inputs and writes its outputs, in another order"
    FILL = "writes its outputs alone"
    GATHER = "reads what it picks, and writes it"
    SCATTER = "reads what it gets, and adds it to what is there"
    PICK = "reads one element of each row"
    UNPICK = "fills its output, of which it sets one element of each row"
    GUESSED = "not known: reads its inputs and writes its outputs"


_NAMES = {
    Kind.VIEW: """
        alias as_strided conj _conj _neg_view detach diagonal expand expand_as flatten movedim moveaxis
        narrow permute ravel _reshape_alias reshape select slice split split_with_sizes chunk tensor_split squeeze swapaxes
        t transpose unbind unflatten unfold unsqueeze _unsafe_view view view_as view_as_complex view_as_real
        _unsafe_split _unsafe_split_with_sizes real imag numpy_T mT data set_data
        is_same_size is_pinned is_contiguous is_complex is_floating_point is_nonzero is_coalesced dim size stride numel
        sym_size sym_stride sym_numel sym_storage_offset storage_offset equal
        set resize resize_as retain_grad requires_grad record_stream rename result_type can_cast
        _local_scalar_dense item _has_compatible_shallow_copy_type _version output_nr is_leaf
        _assert_async _assert_scalar _assert_tensor_metadata _functional_assert_async _backward""",
    Kind.ALLOCATE: """
        empty empty_like empty_strided new_empty new_empty_strided _empty_affine_quantized empty_permuted
        _efficientzerotensor lift lift_fresh""",
    Kind.PRODUCT: "mm addmm _addmm_activation linear matmul",
    Kind.PRODUCTS: "bmm baddbmm addbmm",
    Kind.CONVOLUTION: """
        convolution _convolution convolution_overrideable cudnn_convolution cudnn_convolution_transpose
        cudnn_convolution_relu cudnn_convolution_add_relu mkldnn_convolution miopen_convolution thnn_conv2d _slow_conv2d_forward
        slow_conv3d_forward conv_depthwise3d _conv_depthwise2d slow_conv_transpose2d""",
    Kind.CONVOLUTION_BACKWARD: "convolution_backward convolution_backward_overrideable",
    Kind.ATTENTION: """
        _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention
        _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable
        _flash_attention_forward _efficient_attention_forward _cudnn_attention_forward scaled_dot_product_attention
        _scaled_dot_product_attention _scaled_dot_product_attention_forward""",
    Kind.ATTENTION_BACKWARD: """
        _scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward
        _scaled_dot_product_cudnn_attention_backward _scaled_dot_product_flash_attention_for_cpu_backward
        _scaled_dot_product_fused_attention_overrideable_backward _flash_attention_backward _efficient_attention_backward
        _cudnn_attention_backward""",
    Kind.LAYER: "_transformer_encoder_layer_fwd _native_multi_head_attention",
    Kind.ELEMENTWISE: """
        abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor
        bitwise_left_shift bitwise_right_shift __and__ __or__ __xor__ __lshift__ __rshift__ __iand__ __ior__
        binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits ceil celu clamp clamp_max
        clamp_min clip copysign cos cosh deg2rad digamma div divide dropout elu elu_backward eq erf erfc erfinv exp exp2
        expm1 feature_dropout float_power floor floor_divide fmax fmin fmod frac ge gelu gelu_backward glu glu_backward
        glu_jvp greater gt hardshrink hardsigmoid hardsigmoid_backward hardswish hardswish_backward hardtanh
        hardtanh_backward heaviside huber_loss huber_loss_backward hypot i0 isfinite isinf isnan isneginf isposinf ldexp le
        leaky_relu leaky_relu_backward lerp less lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
        logical_or logical_xor logit log_sigmoid_backward log_sigmoid_forward lt masked_fill maximum minimum mish
        mish_backward mse_loss mse_loss_backward mul multiply nan_to_num native_dropout native_dropout_backward
        _fused_dropout _masked_scale ne neg negative nextafter not_equal polar positive pow prelu _prelu_kernel
        _prelu_kernel_backward prelu_backward rad2deg reciprocal relu relu6 remainder round rrelu_with_noise
        rrelu_with_noise_backward rsqrt rsub sgn sigmoid sigmoid_backward sign signbit silu silu_backward sin sinc sinh
        smooth_l1_loss smooth_l1_loss_backward soft_margin_loss softplus softplus_backward softshrink softshrink_backward
        special_erf special_expit special_log1p sqrt square sub subtract tan tanh tanh_backward threshold
        threshold_backward to true_divide trunc where xlogy complex tril triu
        cat concat stack hstack vstack flip roll repeat tile constant_pad_nd slice_backward select_backward
        _to_copy copy clone contiguous _conj_physical resolve_conj resolve_neg ones_like_copy
        alias_copy expand_copy detach_copy view_copy lift_fresh_copy""",
    Kind.REDUCTION: """
        all any amax amin aminmax argmax argmin count_nonzero dist linalg_vector_norm logsumexp max mean median min
        mode nanmean nansum norm prod std std_mean sum sum_to_size var var_mean
        softmax _softmax _softmax_backward_data log_softmax _log_softmax _log_softmax_backward_data _masked_softmax
        _safe_softmax native_layer_norm native_layer_norm_backward layer_norm native_group_norm native_group_norm_backward
        _fused_rms_norm _fused_rms_norm_backward rms_norm
        native_batch_norm native_batch_norm_backward _native_batch_norm_legit _native_batch_norm_legit_no_training
        cudnn_batch_norm cudnn_batch_norm_backward miopen_batch_norm miopen_batch_norm_backward _batch_norm_with_update
        _batch_norm_no_update batch_norm_backward batch_norm_stats batch_norm_elemt batch_norm_backward_reduce
        batch_norm_backward_elemt batch_norm_gather_stats_with_counts
        kl_div kl_div_backward cosine_similarity linalg_norm""",
    Kind.MOVE: """
        fliplr flipud rot90 repeat_interleave
        reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d pixel_shuffle pixel_unshuffle channel_shuffle
        diagonal_backward as_strided_scatter slice_scatter select_scatter
        diagonal_scatter unfold_backward split_copy split_with_sizes_copy _chunk_cat permute_copy transpose_copy t_copy
        im2col col2im upsample_nearest2d upsample_nearest2d_backward upsample_bilinear2d upsample_bilinear2d_backward
        max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices max_pool2d max_pool1d
        avg_pool1d avg_pool2d avg_pool2d_backward avg_pool3d adaptive_avg_pool2d _adaptive_avg_pool2d
        _adaptive_avg_pool2d_backward adaptive_avg_pool1d adaptive_max_pool2d adaptive_max_pool2d_backward
        nonzero isin bincount
        mv addmv dot vdot inner outer ger addr cumsum cumprod logcumsumexp cummax cummin diff
        _amp_foreach_non_finite_check_and_unscale _amp_update_scale _fused_adam _fused_adamw _fused_sgd _fused_adagrad
        _foreach_norm masked_select topk pin_memory _pin_memory to_dense diag diag_embed trace
        _reshape_copy _reshape_from_tensor""",
    Kind.FILL: """
        arange bernoulli cauchy eye exponential fill full full_like geometric linspace logspace log_normal multinomial new_full
        new_ones new_zeros normal normal_functional ones ones_like poisson rand rand_like randint randint_like randn randn_like
        random randperm range scalar_tensor tril_indices triu_indices uniform zero zeros zeros_like""",
    Kind.GATHER: "embedding gather index index_select take take_along_dim _embedding_bag embedding_renorm _unsafe_index",
    Kind.SCATTER: """
        embedding_dense_backward embedding_backward index_add index_copy index_fill index_put _index_put_impl
        _unsafe_index_put index_reduce masked_scatter put scatter scatter_add scatter_reduce gather_backward index_select_backward
        index_backward""",
    Kind.PICK: "nll_loss_forward nll_loss2d_forward nll_loss nll_loss2d",
    Kind.UNPICK: "nll_loss_backward nll_loss2d_backward",
}

KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}

# In a chain that torch.compile fuses.
FUSED = frozenset({Kind.ELEMENTWISE, Kind.REDUCTION, Kind.FILL})

# Kernels read their inputs so often: for the statistics, and for what is made with them; gradients of weights and of
# inputs are made by two kernels that read both inputs (aten/src/ATen/native/cuda/{Normalization,layer_norm,group_norm}).
READINGS = {
    "native_layer_norm_backward": 2,
    "_fused_rms_norm_backward": 2,
    "native_batch_norm": 2,
    "_native_batch_norm_legit": 2,
    "_batch_norm_with_update": 2,
    "cudnn_batch_norm": 2,
    "native_batch_norm_backward": 2,
    "cudnn_batch_norm_backward": 2,
    "batch_norm_backward": 2,
    "native_group_norm": 2,
    "native_group_norm_backward": 2,
}

# Arguments that a schema calls written, and that are written only where gradients are scaled.
NOT_WRITTEN = {"_fused_adam": ("grads",), "_fused_adamw": ("grads",), "_fused_sgd": ("grads",)}

# Arguments that are written and not read.
NOT_READ = {"copy": ("self",), "_foreach_copy": ("self",)}

# What autocast lets stay in fp32 (torch/csrc/autocast_mode: the list fp32 and what its gradients are), where it does not
# compute in its own type.
FP32_UNDER_AUTOCAST = frozenset(
    """
    acos asin cosh erfinv exp expm1 log log10 log1p log2 reciprocal rsqrt sinh tan pow softplus native_layer_norm
    native_layer_norm_backward native_group_norm native_group_norm_backward norm linalg_vector_norm kl_div nll_loss_forward
    nll_loss2d_forward nll_loss_backward nll_loss2d_backward mse_loss mse_loss_backward smooth_l1_loss smooth_l1_loss_backward
    huber_loss binary_cross_entropy_with_logits _softmax _log_softmax _softmax_backward_data _log_softmax_backward_data
    cumsum cumprod dist prod sum""".split()
)


def plain_name(schema_name: str) -> str:
    """Of aten::add_: add."""
    name = schema_name.partition("::")[2] or schema_name
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def kind_of(schema_name: str) -> Kind:
    """GUESSED where the name is not known."""
    name = plain_name(schema_name)
    if name in KINDS:
        return KINDS[name]
    if name.startswith("_foreach_"):
        kind = KINDS.get(name.removeprefix("_foreach_"))
        if kind in FUSED:
            return Kind.MOVE  # torch.compile leaves them as they are
    namespace = schema_name.partition("::")[0]
    return Kind.GUESSED if namespace == "aten" else _OTHER_NAMESPACES.get(namespace, Kind.GUESSED)


# What is no operator of the GPU: the profiler's marks, and collectives, which are priced elsewhere.
_OTHER_NAMESPACES = {
    "profiler": Kind.VIEW,
    "c10d": Kind.VIEW,
    "_c10d_functional": Kind.VIEW,
    "c10d_functional": Kind.VIEW,
    "prim": Kind.VIEW,
    "prims": Kind.ELEMENTWISE,
    "fsdp": Kind.MOVE,
}
