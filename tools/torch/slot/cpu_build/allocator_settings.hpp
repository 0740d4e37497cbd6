// The settings of the caching allocator from PYTORCH_CUDA_ALLOC_CONF, or else from PYTORCH_ALLOC_CONF.
//
// A build of PyTorch for CUDA reads them in c10/core/AllocatorConfig.cpp and c10/cuda/CUDAAllocatorConfig.cpp. Settings
// of host memory or locks are parsed, too, but do not affect anything simulated.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace sim::slot {

struct AllocatorSettings {
    static constexpr std::int64_t grain = 512;  // granularity of all sizes
    static constexpr std::int64_t mib = std::int64_t{1} << 20;
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

    bool expands = false;                           // expandable_segments
    std::int64_t shared_segment = 20 * mib;         // large_segment_size_mb: segments for requests below 10 MiB
    std::int64_t oversize = unlimited;              // max_split_size_mb: blocks of this size or more are not split
    std::int64_t most_unused = 20 * mib;            // max_non_split_rounding_mb: unused part of such a block
    double garbage_threshold = 0;                   // share of the memory that the process may have; 0: none
    std::array<std::int64_t, 16> divisions{};       // per power of two, from 1 MiB; 0: none
    std::optional<double> fraction = std::nullopt;  // share of the GPU's memory that the process may have

    // The size of the block for a request.
    std::int64_t rounded(std::int64_t bytes) const;
};

const AllocatorSettings& allocator_settings();
// Implements torch.cuda.memory._set_allocator_settings. Throws ValueError, in one line, for anything unknown to
// PyTorch.
void change_allocator_settings(const std::string& text);
// Reads the environment, once.
void read_allocator_settings();

}  // namespace sim::slot
