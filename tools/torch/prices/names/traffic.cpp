#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names traffic_names[]{
    {Kind::reduction, R"(
        all any amax amin aminmax _aminmax argmax argmin count_nonzero dist equal hash_tensor histc linalg_norm
        linalg__powsum linalg_vector_norm logsumexp max mean median min mode kthvalue nanmean nanmedian nansum norm prod
        renorm segment_reduce _segment_reduce_backward std std_mean sum sum_to_size var var_mean
        _validate_compressed_sparse_indices
        softmax _softmax _softmax_backward_data log_softmax _log_softmax _log_softmax_backward_data _masked_softmax
        _masked_softmax_backward _safe_softmax native_layer_norm layer_norm _fused_rms_norm rms_norm
        _native_batch_norm_legit_no_training cudnn_batch_norm cudnn_batch_norm_backward miopen_batch_norm
        miopen_batch_norm_backward _batch_norm_no_update batch_norm_stats batch_norm_update_stats
        batch_norm_backward_reduce batch_norm_gather_stats batch_norm_gather_stats_with_counts
        _weight_norm_interface _weight_norm_interface_backward
        kl_div kl_div_backward cosine_similarity multi_margin_loss multi_margin_loss_backward
        multilabel_margin_loss_forward multilabel_margin_loss_backward)"},
    {Kind::normalization, "native_batch_norm _native_batch_norm_legit _batch_norm_with_update native_group_norm"},
    {Kind::normalization_backward, R"(
        native_layer_norm_backward _fused_rms_norm_backward native_group_norm_backward native_batch_norm_backward
        batch_norm_backward)"},
    {Kind::move, R"(
        fliplr flipud rot90 repeat_interleave pixel_shuffle pixel_unshuffle channel_shuffle
        diagonal_backward as_strided_scatter slice_scatter select_scatter diagonal_scatter unfold_backward split_copy
        split_with_sizes_copy _chunk_cat permute_copy transpose_copy t_copy narrow_copy select_copy copy_sparse_to_sparse
        _reshape_copy _reshape_from_tensor pin_memory _pin_memory to_dense diag diag_embed trace im2col col2im
        _cudnn_rnn_flatten_weight _convert_weight_to_int4pack _cslt_compress lu_unpack
        _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo
        _jagged_to_padded_dense_forward _padded_dense_to_jagged_forward _nested_from_padded)"},
    {Kind::move, R"(
        mv addmv dot vdot inner outer ger addr
        cumsum cumprod logcumsumexp _logcumsumexp cummax _cummax_helper cummin _cummin_helper diff
        nonzero nonzero_static isin bincount bucketize searchsorted masked_select topk _amp_update_scale)"},
    // Images and volumes.
    {Kind::move, R"(
        reflection_pad1d reflection_pad1d_backward reflection_pad2d reflection_pad2d_backward reflection_pad3d
        reflection_pad3d_backward replication_pad1d replication_pad1d_backward replication_pad2d replication_pad2d_backward
        replication_pad3d replication_pad3d_backward
        upsample_nearest1d upsample_nearest1d_backward upsample_nearest2d upsample_nearest2d_backward upsample_nearest3d
        upsample_nearest3d_backward _upsample_nearest_exact1d _upsample_nearest_exact1d_backward _upsample_nearest_exact2d
        _upsample_nearest_exact2d_backward _upsample_nearest_exact3d _upsample_nearest_exact3d_backward upsample_linear1d
        upsample_linear1d_backward upsample_bilinear2d upsample_bilinear2d_backward _upsample_bilinear2d_aa
        _upsample_bilinear2d_aa_backward upsample_bicubic2d upsample_bicubic2d_backward _upsample_bicubic2d_aa
        _upsample_bicubic2d_aa_backward upsample_trilinear3d upsample_trilinear3d_backward
        grid_sampler_2d grid_sampler_2d_backward grid_sampler_3d grid_sampler_3d_backward cudnn_grid_sampler
        cudnn_grid_sampler_backward cudnn_affine_grid_generator cudnn_affine_grid_generator_backward
        max_pool1d max_pool2d max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices
        max_pool3d_with_indices_backward max_unpool2d max_unpool3d quantized_max_pool2d avg_pool1d avg_pool2d
        avg_pool2d_backward avg_pool3d avg_pool3d_backward adaptive_avg_pool1d adaptive_avg_pool2d _adaptive_avg_pool2d
        _adaptive_avg_pool2d_backward adaptive_avg_pool3d adaptive_avg_pool3d_backward _adaptive_avg_pool3d
        _adaptive_avg_pool3d_backward adaptive_max_pool2d adaptive_max_pool2d_backward adaptive_max_pool3d
        adaptive_max_pool3d_backward fractional_max_pool2d fractional_max_pool2d_backward fractional_max_pool3d
        fractional_max_pool3d_backward)"},
    // One kernel goes through the steps of all sequences; its output is what it keeps of them.
    {Kind::move, "_ctc_loss _ctc_loss_backward _cudnn_ctc_loss miopen_ctc_loss"},
    {Kind::fill, R"(
        arange bernoulli cauchy eye exponential fill full full_like geometric linspace logspace log_normal multinomial
        new_full new_ones new_zeros normal normal_functional ones ones_like poisson rand rand_like randint randint_like
        randn randn_like random randperm range scalar_tensor tril_indices triu_indices uniform zero zeros zeros_like
        _philox_normal _philox_uniform _cudnn_init_dropout_state _fill_mem_eff_dropout_mask)"},
    {Kind::gather, "embedding gather index index_select take take_along_dim _unsafe_index"},
    {Kind::bags, "_embedding_bag _embedding_bag_forward_only _embedding_bag_per_sample_weights_backward"},
    {Kind::scatter, R"(
        embedding_dense_backward embedding_backward embedding_renorm _embedding_bag_backward _embedding_bag_dense_backward
        index_add index_copy index_fill index_put _index_put_impl _unsafe_index_put index_reduce masked_scatter put scatter
        scatter_add scatter_reduce gather_backward index_select_backward index_backward)"},
    {Kind::pick, "nll_loss_forward nll_loss2d_forward nll_loss nll_loss2d"},
    {Kind::unpick, "nll_loss_backward nll_loss2d_backward"},
    {Kind::sort, "sort _unique _unique2 unique_consecutive unique_dim unique_dim_consecutive"},
    {Kind::lists, R"(
        _fused_adam _fused_adamw _fused_sgd _fused_adagrad _amp_foreach_non_finite_check_and_unscale)"},
    {Kind::list_norms, "_foreach_norm _foreach_max _foreach_powsum"},
};

}  // namespace

std::span<const Names> names_of_traffic() {
    return traffic_names;
}

}  // namespace sim::torch::prices
