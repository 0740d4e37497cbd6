#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names view_names[]{
    {Kind::view, R"(
        alias as_strided conj _conj _neg_view detach diagonal expand expand_as flatten movedim moveaxis narrow permute ravel
        _reshape_alias reshape select slice split split_with_sizes chunk tensor_split squeeze swapaxes t transpose unbind
        unflatten unfold unsqueeze _unsafe_view view view_as view_as_complex view_as_real _unsafe_split
        _unsafe_split_with_sizes real imag numpy_T mT data set_data
        is_same_size is_pinned is_contiguous is_complex is_floating_point is_nonzero is_coalesced is_set_to dim size stride
        numel sym_size sym_stride sym_numel sym_storage_offset storage_offset
        set resize resize_as retain_grad requires_grad record_stream rename result_type can_cast
        _local_scalar_dense item _has_compatible_shallow_copy_type _version output_nr is_leaf
        _assert_async _assert_scalar _assert_tensor_metadata _functional_assert_async _backward)"},
    // Decisions that the host takes by shapes alone.
    {Kind::view, "_fused_sdp_choice _use_cudnn_ctc_loss _use_miopen_ctc_loss"},
    // Parts and properties of sparse, quantised and nested tensors.
    {Kind::view, R"(
        _coalesced _dimI _dimV _nnz dense_dim sparse_dim _indices indices _values values crow_indices col_indices
        ccol_indices row_indices _sparse_coo_tensor_with_dims _sparse_coo_tensor_with_dims_and_tensors resize_as_sparse
        sparse_resize sparse_resize_and_clear
        q_scale q_zero_point q_per_channel_scales q_per_channel_zero_points q_per_channel_axis qscheme
        _nested_view_from_buffer _nested_tensor_size _nested_tensor_strides _nested_tensor_storage_offsets
        _nested_compute_contiguous_strides_offsets)"},
    {Kind::allocate, R"(
        empty empty_like empty_strided new_empty new_empty_strided _empty_affine_quantized
        _empty_per_channel_affine_quantized empty_quantized empty_permuted _efficientzerotensor lift lift_fresh)"},
};

}  // namespace

std::span<const Names> names_of_views() {
    return view_names;
}

}  // namespace sim::torch::prices
