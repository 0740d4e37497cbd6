// The settings of the caching allocator that PYTORCH_CUDA_ALLOC_CONF names, or else PYTORCH_ALLOC_CONF.
//
// A build of PyTorch for CUDA reads them in c10/core/AllocatorConfig.cpp and c10/cuda/CUDAAllocatorConfig.cpp; those
// that concern the host's memory or locks change nothing that is simulated, and are read all the same.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace sim::slot {

struct AllocatorSettings {
    static constexpr std::int64_t grain = 512;  // of all sizes
    static constexpr std::int64_t mib = std::int64_t{1} << 20;
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

    bool expands = false;                           // expandable_segments
    std::int64_t shared_segment = 20 * mib;         // large_segment_size_mb: of requests below 10 MiB
    std::int64_t oversize = unlimited;              // max_split_size_mb: a block as large as this is not split
    std::int64_t most_unused = 20 * mib;            // max_non_split_rounding_mb: of such a block
    double garbage_threshold = 0;                   // of the memory that the process may have; 0: none
    std::array<std::int64_t, 16> divisions{};       // of a power of two, from 1 MiB on; 0: none
    std::optional<double> fraction = std::nullopt;  // of the GPU's memory that the process may have

    // A request's bytes as they are given out.
    std::int64_t rounded(std::int64_t bytes) const;
};

const AllocatorSettings& allocator_settings();
// As torch.cuda.memory._set_allocator_settings. Throws ValueError at what PyTorch does not know, in one line.
void change_allocator_settings(const std::string& text);
// Reads the environment, once.
void read_allocator_settings();

}  // namespace sim::slot
