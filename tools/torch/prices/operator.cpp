#include "tools/torch/prices/operator.hpp"

#include <algorithm>
#include <array>

namespace sim::torch::prices {

namespace {

struct Exception {
    std::string_view name;
    std::string_view argument;
};

// The schema marks these as written, but they are written only if gradients are scaled.
constexpr std::array not_written{Exception{"_fused_adam", "grads"}, Exception{"_fused_adamw", "grads"},
                                 Exception{"_fused_sgd", "grads"}, Exception{"_fused_adagrad", "grads"}};
// These are written and not read.
constexpr std::array not_read{Exception{"copy", "self"},
                              Exception{"_foreach_copy", "self"},
                              Exception{"_foreach_zero", "self"},
                              Exception{"multi_tensor_scale", "made"},
                              Exception{"multi_tensor_scale_by", "made"},
                              Exception{"multi_tensor_axpby", "made"}};
// One kernel reads the inputs of these twice: for the statistics and for the result. In the gradients of norms it is
// the kernel for the inputs' gradient.
constexpr std::array<std::string_view, 9> read_twice{
    "cudnn_batch_norm",           "cudnn_batch_norm_backward", "miopen_batch_norm",
    "miopen_batch_norm_backward", "native_layer_norm",         "_fused_rms_norm",
    "native_layer_norm_backward", "_fused_rms_norm_backward",  "renorm"};

// A block of threads reads a long row for its maximum, for the sum and for the result; in gradients, for the sum and
// for the result. Source: aten/src/ATen/native/cuda/SoftMax.cu, and measured times: docs/data/operator_times.csv.
struct RowReadings {
    std::string_view name;
    int readings;
};
constexpr std::array readings_of_long_rows{
    RowReadings{"softmax", 3},         RowReadings{"log_softmax", 3},
    RowReadings{"_softmax", 3},        RowReadings{"_softmax_backward_data", 2},
    RowReadings{"_log_softmax", 3},    RowReadings{"_log_softmax_backward_data", 2},
    RowReadings{"_masked_softmax", 3}, RowReadings{"_masked_softmax_backward", 2},
    RowReadings{"_safe_softmax", 3}};

constexpr std::array<std::string_view, 25> asked_arguments{"groups",
                                                           "transposed",
                                                           "output_mask",
                                                           "is_causal",
                                                           "custom_mask_type",
                                                           "window_size_left",
                                                           "window_size_right",
                                                           "window_size",
                                                           "keys_met",
                                                           "pairs",
                                                           "flash_version",
                                                           "embed_dim",
                                                           "num_heads",
                                                           "num_head",
                                                           "training",
                                                           "train",
                                                           "mode",
                                                           "hidden_size",
                                                           "proj_size",
                                                           "num_layers",
                                                           "bidirectional",
                                                           "batch_first",
                                                           "batch_sizes",
                                                           "rows",
                                                           "dim"};

template <std::size_t count>
bool is_among(const std::array<Exception, count>& exceptions, std::string_view name, std::string_view argument) {
    return std::any_of(exceptions.begin(), exceptions.end(),
                       [&](const Exception& one) { return one.name == name && one.argument == argument; });
}

int long_row_readings_of(std::string_view name, int otherwise) {
    const auto* const found = std::find_if(readings_of_long_rows.begin(), readings_of_long_rows.end(),
                                           [&](const RowReadings& one) { return one.name == name; });
    return found == readings_of_long_rows.end() ? otherwise : found->readings;
}

bool ends_in_place(std::string_view schema_name) {
    return schema_name.ends_with('_') && !schema_name.ends_with("__");
}

}  // namespace

bool is_asked_for(std::string_view argument) {
    return std::find(asked_arguments.begin(), asked_arguments.end(), argument) != asked_arguments.end();
}

Operator::Operator(const seam::Operator& schema)
    : name(plain_name(schema.name)),
      kind(kind_of(schema.name)),
      is_fused(prices::is_fused(kind) && !std::string_view(schema.name).starts_with("ndsim::")),
      is_in_place(ends_in_place(schema.name)),
      has_scalar_list(std::string_view(schema.overload) == "ScalarList"),
      readings(std::find(read_twice.begin(), read_twice.end(), name) == read_twice.end() ? 1 : 2),
      long_row_readings(long_row_readings_of(name, readings)) {
    // Unless an operator is in place, written arguments at the end of its list are out= arguments.
    int first_out = schema.count;
    while (!is_in_place && first_out > 0 && schema.is_written[first_out - 1]) {
        --first_out;
    }
    for (int at = 0; at < schema.count; ++at) {
        const std::string_view argument = schema.arguments[at];
        arguments.push_back({.name = std::string(argument),
                             .is_read = at < first_out && !is_among(not_read, name, argument),
                             .is_written = schema.is_written[at] && !is_among(not_written, name, argument),
                             .is_asked = is_asked_for(argument)});
    }
}

}  // namespace sim::torch::prices
