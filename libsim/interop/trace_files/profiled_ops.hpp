// Profiled operators are PyTorch operators that its profiler recorded with the shapes of their inputs
// (record_shapes=True), and the GPU time of their kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::trace_files {

struct ProfiledOp {
    std::string name;                             // "aten::mm"
    std::vector<std::vector<std::int64_t>> dims;  // per input; empty: a scalar, or a list
    std::vector<std::string> types;               // "c10::BFloat16"
    std::vector<std::string> values;              // non-tensor inputs, as texts
    double seconds = 0;                           // total duration of all kernels that it launched itself
    std::size_t event = 0;                        // its number in the file, from 1
};

// The operators among `names` that launched kernels, in the order of the file, which torch.profiler's
// export_chrome_trace() wrote, plain or compressed by gzip. Throws UsageError, which names file and event.
std::vector<ProfiledOp> read_profiled_ops(const std::string& file, const std::vector<std::string>& names);

}  // namespace sim::trace_files
