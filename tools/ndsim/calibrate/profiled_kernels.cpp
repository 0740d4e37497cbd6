#include "tools/ndsim/calibrate/profiled_kernels.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/interop/trace_files/profiled_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace sim::tools {

using fit::KernelKind;
using fit::TimedKernel;
using trace_files::ProfiledOp;
using training::Precision;

namespace {

using Dims = std::vector<std::int64_t>;

std::optional<Precision> precision_of(const std::string& type) {
    if (type == "c10::BFloat16") {
        return Precision::bf16;
    }
    if (type == "c10::Half") {
        return Precision::fp16;
    }
    if (type.starts_with("c10::Float8")) {
        return Precision::fp8;
    }
    return std::nullopt;
}

// The dims and common precision of the `count` tensors from input `first` on; nothing if one is missing, empty, or of
// another rank or type.
struct Tensors {
    std::vector<Dims> dims;
    Precision precision = Precision::bf16;
};
std::optional<Tensors> tensors_of(const ProfiledOp& op, std::size_t first, std::size_t count, std::size_t rank) {
    if (op.dims.size() < first + count || op.types.size() < first + count) {
        return std::nullopt;
    }
    const std::optional<Precision> precision = precision_of(op.types[first]);
    Tensors tensors;
    for (std::size_t i = first; i < first + count; ++i) {
        const Dims& dims = op.dims[i];
        const bool whole = dims.size() == rank && std::all_of(dims.begin(), dims.end(), [](auto n) { return n > 0; });
        if (!whole || precision_of(op.types[i]) != precision) {
            return std::nullopt;
        }
        tensors.dims.push_back(dims);
    }
    tensors.precision = precision.value_or(Precision::bf16);
    return precision ? std::optional(tensors) : std::nullopt;
}

// The product of inputs a[…, m, k] and b[…, k, n], from input `first` on.
std::optional<TimedKernel> product(const ProfiledOp& op, std::size_t first, std::size_t rank) {
    const std::optional<Tensors> two = tensors_of(op, first, 2, rank);
    if (!two) {
        return std::nullopt;
    }
    const Dims& a = two->dims[0];
    const Dims& b = two->dims[1];
    const auto last = [&](const Dims& dims, std::size_t from_end) {
        return static_cast<double>(dims[dims.size() - from_end]);
    };
    if (a.back() != b[b.size() - 2]) {
        return std::nullopt;
    }
    TimedKernel kernel{.kind = KernelKind::forward, .precision = two->precision, .with_gap = false};
    kernel.gemm = {last(a, 2), last(b, 1), last(a, 1), rank > 2 ? static_cast<double>(a.front()) : 1};
    return kernel;
}

// Attention over queries, keys and values, from input `first` on: [sequences, tokens, heads, head_dim], or with heads
// before tokens.
std::optional<TimedKernel> attention(const ProfiledOp& op, KernelKind kind, std::size_t first, std::size_t tokens_at) {
    const std::optional<Tensors> three = tensors_of(op, first, 3, 4);
    const bool is_causal = std::find(op.values.begin(), op.values.end(), "True") != op.values.end();
    if (!three || !is_causal || three->dims[0] != three->dims[1] || three->dims[1] != three->dims[2]) {
        return std::nullopt;
    }
    const Dims& q = three->dims[0];
    TimedKernel kernel{.kind = kind, .precision = three->precision, .with_gap = false};
    kernel.sequences = static_cast<double>(q[0]);
    kernel.tokens = static_cast<double>(q[tokens_at]);
    kernel.heads = static_cast<double>(q[3 - tokens_at]);
    kernel.head_dim = static_cast<double>(q[3]);
    return kernel;
}

// An operator that is read, and the function that reads it.
struct ReadOp {
    const char* name;
    std::optional<TimedKernel> (*kernel)(const ProfiledOp& op);
};
const ReadOp read_ops[] = {
    {"aten::mm", [](const ProfiledOp& op) { return product(op, 0, 2); }},
    {"aten::addmm", [](const ProfiledOp& op) { return product(op, 1, 2); }},
    {"aten::bmm", [](const ProfiledOp& op) { return product(op, 0, 3); }},
    {"aten::baddbmm", [](const ProfiledOp& op) { return product(op, 1, 3); }},
    {"aten::_scaled_mm", [](const ProfiledOp& op) { return product(op, 0, 2); }},
    {"aten::_flash_attention_forward",
     [](const ProfiledOp& op) { return attention(op, KernelKind::flash_forward, 0, 1); }},
    {"aten::_flash_attention_backward",
     [](const ProfiledOp& op) { return attention(op, KernelKind::flash_backward, 1, 1); }},
    {"aten::_scaled_dot_product_flash_attention",
     [](const ProfiledOp& op) { return attention(op, KernelKind::flash_forward, 0, 2); }},
    {"aten::_scaled_dot_product_flash_attention_backward",
     [](const ProfiledOp& op) { return attention(op, KernelKind::flash_backward, 1, 2); }},
};

const ReadOp& read_op_named(const std::string& name) {
    return *std::find_if(std::begin(read_ops), std::end(read_ops), [&](const ReadOp& row) { return row.name == name; });
}

auto shape_of(const TimedKernel& kernel) {
    return std::tuple(kernel.kind, kernel.precision, kernel.gemm.m, kernel.gemm.n, kernel.gemm.k, kernel.gemm.batch,
                      kernel.sequences, kernel.heads, kernel.head_dim, kernel.tokens);
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<fit::Measurement> read_profiled_kernels(const std::string& file) {
    std::vector<std::string> names;
    for (const ReadOp& row : read_ops) {
        names.emplace_back(row.name);
    }
    const std::vector<ProfiledOp> ops = trace_files::read_profiled_ops(file, names);
    std::vector<fit::Measurement> result;
    std::vector<std::vector<double>> times;
    std::map<decltype(shape_of({})), std::size_t> known;
    for (const ProfiledOp& op : ops) {
        const std::optional<TimedKernel> kernel = read_op_named(op.name).kernel(op);
        if (kernel) {
            const auto [at, is_new] = known.try_emplace(shape_of(*kernel), result.size());
            if (is_new) {
                result.push_back({file, static_cast<int>(op.event), 0, *kernel});
                times.emplace_back();
            }
            times[at->second].push_back(op.seconds);
        }
    }
    if (result.empty()) {
        throw config::UsageError(fmt::format(
            "{}: has no matrix product and no causal attention in bf16, fp16 or fp8 with its shapes and its kernels; "
            "torch.profiler keeps both with record_shapes=True and ProfilerActivity.CUDA",
            file));
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i].seconds = median_of(times[i]);
    }
    return result;
}

}  // namespace sim::tools
