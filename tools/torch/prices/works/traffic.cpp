// Kernels bound by the memory that they read and write.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>

namespace sim::torch::prices {

Work traffic_work(const Asked& asked) {
    return memory_work(asked, static_cast<double>(asked.call.read_bytes() + asked.call.written_bytes()));
}

namespace {

// True if the tensor's elements fill its range of memory.
bool has_no_gaps(const seam::Tensor& tensor) {
    std::int64_t last = 0;
    for (int at = 0; at < tensor.dimensions; ++at) {
        last += (tensor.sizes[at] - 1) * tensor.strides[at];
    }
    return last + 1 == elements(tensor);
}

bool lies_like(const seam::Tensor& one, const seam::Tensor& other) {
    if (one.is_contiguous && other.is_contiguous) {
        return elements(one) == elements(other);
    }
    return one.dimensions == other.dimensions && one.strides != nullptr && other.strides != nullptr &&
           std::equal(one.sizes, one.sizes + one.dimensions, other.sizes) &&
           std::equal(one.strides, one.strides + one.dimensions, other.strides) && has_no_gaps(one);
}

bool are_cast(const seam::Tensor& one, const seam::Tensor& other) {
    return is_floating(one.type) && is_floating(other.type) && one.type != other.type;
}

bool is_half(seam::Type type) {
    return type == seam::Type::bfloat16 || type == seam::Type::float16;
}

// Copies from fp32 to 16 bits have a kernel of their own, which is vectorized. Source: aten/src/ATen/native/cuda/
// Copy.cu.
bool narrows(const Call& call, const seam::Tensor& one, const seam::Tensor& other) {
    return (call.name() == "_to_copy" || call.name() == "copy") && one.type == seam::Type::float32 &&
           is_half(other.type);
}

// How many elements next to each other in memory take as long as one, in a kernel that goes along the result's
// neighbours: those of a transposed tensor are far apart, and each access moves more than the element. Measured:
// docs/torch-prices.md.
constexpr double far_apart = 5;
constexpr std::int64_t in_one_access = 32;  // bytes

std::int64_t stride_at(const seam::Tensor& tensor, int at) {
    if (!tensor.is_contiguous) {
        return tensor.strides[at];
    }
    std::int64_t stride = 1;
    for (int after = at + 1; after < tensor.dimensions; ++after) {
        stride *= tensor.sizes[after];
    }
    return stride;
}

double accesses_of(const seam::Tensor& tensor, const seam::Tensor& result) {
    const auto is_told = [](const seam::Tensor& one) { return one.is_contiguous || one.strides != nullptr; };
    if (tensor.dimensions != result.dimensions || !is_told(tensor) || !is_told(result)) {
        return 1;
    }
    for (int at = result.dimensions - 1; at >= 0; --at) {
        if (result.sizes[at] > 1 && stride_at(result, at) == 1) {
            return stride_at(tensor, at) * element_bytes(tensor.type) >= in_one_access ? far_apart : 1;
        }
    }
    return 1;
}

// The elements that an element-wise kernel handles one at a time. PyTorch's kernels vectorize only if all tensors have
// the same type and the same memory layout, without gaps. Source: aten/src/ATen/native/cuda/CUDALoops.cuh.
double taken_one_by_one(const Call& call) {
    Tensors all = call.inputs();
    const Tensors written = call.outputs();
    all.insert(all.end(), written.begin(), written.end());
    std::erase_if(all, [](const seam::Tensor* tensor) { return !tensor->is_on_gpu; });
    double count = 0;
    bool is_single = false;
    for (const seam::Tensor* tensor : all) {
        const bool is_slow_cast = are_cast(*tensor, *all.front()) && !narrows(call, *all.front(), *tensor);
        is_single |= is_slow_cast || !lies_like(*tensor, *all.front());
        count += static_cast<double>(bytes(*tensor) / element_bytes(tensor->type)) * accesses_of(*tensor, *all.back());
    }
    return is_single ? count : 0;
}

}  // namespace

Work elementwise_work(const Asked& asked) {
    Work work = traffic_work(asked);
    if (work.kernels.size() == 1) {
        work.kernels.front() = asked.times.memory(work.done, taken_one_by_one(asked.call));
    }
    return work;
}

namespace {

constexpr std::int64_t longest_row_in_a_warp = 1024;  // that a warp keeps in registers

std::int64_t row_of(const Call& call) {
    const seam::Tensor& result = call.result();
    return result.dimensions > 0 ? side_at(result, call.integer("dim", -1)) : 1;
}

}  // namespace

Work row_work(const Asked& asked) {
    const Call& call = asked.call;
    const int readings = row_of(call) > longest_row_in_a_warp ? call.op().long_row_readings : call.op().readings;
    return memory_work(asked, static_cast<double>(bytes(call.inputs()) * readings + call.written_bytes()));
}

// Each pair takes the time of one unvectorized element.
Work pairs_work(const Asked& asked) {
    Work work = traffic_work(asked);
    if (work.kernels.size() == 1) {
        work.kernels.front() = asked.times.memory(work.done, static_cast<double>(asked.call.integer("pairs", 0)));
    }
    return work;
}

Work fill_work(const Asked& asked) {
    return memory_work(asked, static_cast<double>(asked.call.written_bytes()));
}

namespace {

// Bytes of all results but the first.
std::int64_t bytes_of_others(const Call& call) {
    std::int64_t sum = 0;
    for (std::size_t at = 1; at < 4; ++at) {
        sum += call.has_result(at) ? bytes(call.result(at)) : 0;
    }
    return sum;
}

}  // namespace

// Computes statistics, then the result, in training and always for groups. Otherwise the statistics are given.
Work normalization_work(const Asked& asked) {
    const Call& call = asked.call;
    if (!call.flag("training", true)) {
        return traffic_work(asked);
    }
    const std::int64_t statistics = bytes(call.tensor({"input"})) + bytes_of_others(call);
    const std::int64_t result = call.read_bytes() + bytes(call.result());
    return memory_work(asked, {static_cast<double>(statistics), static_cast<double>(result)});
}

namespace {

// The gradient that layer norms first copy, because it is strided or expanded.
std::int64_t copied_gradient(const Call& call) {
    const seam::Tensor& gradient = call.tensor({"grad_out"});
    const bool is_copied = call.op().readings > 1 && !gradient.is_contiguous && gradient.is_on_gpu;
    return is_copied ? elements(gradient) * element_bytes(gradient.type) : 0;
}

}  // namespace

// The kernels for the inputs' and the weights' gradient each read all inputs:
// aten/src/ATen/native/cuda/layer_norm_kernel.cu and others.
Work normalization_backward_work(const Asked& asked) {
    const Call& call = asked.call;
    const std::int64_t copied = copied_gradient(call);
    const std::int64_t given = copied > 0 ? bytes(call.tensor({"grad_out"})) : 0;
    const std::int64_t read = bytes(call.inputs()) - given + copied;
    const std::int64_t others = bytes_of_others(call);
    const std::int64_t of_inputs = call.has_result(0) ? read * call.op().readings + bytes(call.result(0)) : 0;
    return memory_work(asked, {static_cast<double>(given + copied), static_cast<double>(of_inputs),
                               static_cast<double>(others > 0 ? read + others : 0)});
}

}  // namespace sim::torch::prices
