// Kernels whose time is that of what they read and write.
#include "tools/torch/prices/works/parts.hpp"

namespace sim::torch::prices {

Work traffic_work(const Asked& asked) {
    return memory_work(asked, static_cast<double>(asked.call.read_bytes() + asked.call.written_bytes()));
}

Work fill_work(const Asked& asked) {
    return memory_work(asked, static_cast<double>(asked.call.written_bytes()));
}

namespace {

// Of the second result and those after it.
std::int64_t bytes_of_others(const Call& call) {
    std::int64_t sum = 0;
    for (std::size_t at = 1; at < 4; ++at) {
        sum += call.has_result(at) ? bytes(call.result(at)) : 0;
    }
    return sum;
}

}  // namespace

// In training, and of groups always: the statistics, then the result. Else the statistics are there.
Work normalization_work(const Asked& asked) {
    const Call& call = asked.call;
    if (!call.flag("training", true)) {
        return traffic_work(asked);
    }
    const std::int64_t statistics = bytes(call.tensor({"input"})) + bytes_of_others(call);
    const std::int64_t result = call.read_bytes() + bytes(call.result());
    return memory_work(asked, {static_cast<double>(statistics), static_cast<double>(result)});
}

// The inputs' gradient and the weights' each read all that there is: aten/src/ATen/native/cuda/layer_norm_kernel.cu and
// its like.
Work normalization_backward_work(const Asked& asked) {
    const Call& call = asked.call;
    const std::int64_t read = call.read_bytes();
    const std::int64_t others = bytes_of_others(call);
    const std::int64_t of_inputs = call.has_result(0) ? read + bytes(call.result(0)) : 0;
    return memory_work(asked, {static_cast<double>(of_inputs), static_cast<double>(others > 0 ? read + others : 0)});
}

}  // namespace sim::torch::prices
