// A stretch of addresses whose pages individually take memory of the GPU and give it back, for the blocks of one stream
// (expandable_segments of PYTORCH_CUDA_ALLOC_CONF).
//
// It has an eighth more addresses than the GPU has memory, as in c10/cuda/CUDACachingAllocator.cpp, because pages that
// have lost their memory leave gaps. Cost: one reservation through the seam per page.
#pragma once

#include "tools/torch/seam.hpp"

#include <cstdint>
#include <vector>

namespace sim::slot {

class ExpandableSegment {
public:
    struct Terms {
        std::int32_t device = 0;
        std::int64_t stream = 0;
        std::int64_t page = 0;
    };
    ExpandableSegment(const seam::Gpu& gpu, Terms terms);
    // Requires: no page has memory.
    ~ExpandableSegment();
    ExpandableSegment(const ExpandableSegment&) = delete;
    ExpandableSegment& operator=(const ExpandableSegment&) = delete;

    char* address() const { return address_; }
    std::int64_t bytes() const { return terms_.page * static_cast<std::int64_t>(pages_.size()); }

    // Gives memory to as many whole pages as hold these bytes, and returns their size. Returns 0, with nothing changed,
    // if the GPU is full. Requires: `from` is the beginning of a page, and none of the pages has memory.
    std::int64_t take(const char* from, std::int64_t bytes);

    struct Stretch {
        char* begin = nullptr;
        std::int64_t bytes = 0;
    };
    // Takes the memory of the whole pages in a stretch, after waiting for the stream. Requires: they have memory.
    Stretch give_back(const char* from, std::int64_t bytes);

private:
    const seam::Gpu* gpu_;
    Terms terms_;
    std::vector<void*> pages_;  // the GPU memory of each; null: none
    char* address_ = nullptr;
};

}  // namespace sim::slot
