// Profiled operators are those of PyTorch that its profiler saw with the shapes of their inputs (record_shapes=True),
// and how long their kernels were on the GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::trace_files {

struct ProfiledOp {
    std::string name;                             // "aten::mm"
    std::vector<std::vector<std::int64_t>> dims;  // of each input; empty: a scalar, or a list
    std::vector<std::string> types;               // "c10::BFloat16"
    std::vector<std::string> values;              // of inputs that are no tensors, as texts
    double seconds = 0;                           // of all kernels that it launched itself, from start to end
    std::size_t event = 0;                        // its number in the file, from 1
};

// Those of `names` that launched kernels, in the order of the file, which is that of torch.profiler's
// export_chrome_trace(), compressed by gzip or not. Throws UsageError, which names file and event.
std::vector<ProfiledOp> read_profiled_ops(const std::string& file, const std::vector<std::string>& names);

}  // namespace sim::trace_files
