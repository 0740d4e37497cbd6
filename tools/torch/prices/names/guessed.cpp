// Operators with kernels in PyTorch for which the price list has nothing better than their memory traffic.
#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names guessed_names[]{
    // Solvers that iterate, or launch many kernels for one matrix.
    {Kind::guessed, R"(
        linalg_eig linalg_eigvals _linalg_eigh _linalg_eigvals _linalg_svd linalg_lstsq linalg_matrix_exp
        linalg_matrix_sqrth linalg_polar)"},
    // Sparse tensors: their shapes do not show how many values they hold.
    {Kind::guessed, R"(
        _coalesce _to_dense _to_sparse _to_sparse_bsc _to_sparse_bsr _to_sparse_csc _to_sparse_csr
        _to_sparse_semi_structured hspmm native_norm sparse_mask sparse_sampled_addmm _sparse_broadcast_to _sparse_csr_prod
        _sparse_csr_sum _sparse_log_softmax _sparse_log_softmax_backward_data _sparse_mask_projection _sparse_softmax
        _sparse_softmax_backward_data _sparse_sparse_matmul _sparse_sum_backward _spsolve sspaddmm
        _sparse_semi_structured_apply _sparse_semi_structured_apply_dense _sparse_semi_structured_tile _cslt_sparse_mm
        _cslt_sparse_mm_search)"},
    // Nested tensors of the older layout: their shapes do not show the sizes of their parts.
    {Kind::guessed, R"(
        linear_backward matmul_backward to_padded_tensor value_selecting_reduction_backward
        _nested_from_padded_and_nested_example _nested_select_backward _nested_tensor_from_mask
        _nested_tensor_from_mask_left_aligned _nested_tensor_softmax_with_shape _test_autograd_multiple_dispatch)"},
};

}  // namespace

std::span<const Names> names_of_guessed() {
    return guessed_names;
}

}  // namespace sim::torch::prices
