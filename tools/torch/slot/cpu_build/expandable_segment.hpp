// A stretch of addresses of which pages take memory of the GPU and give it back, each for itself, for the blocks of one
// stream (expandable_segments of PYTORCH_CUDA_ALLOC_CONF).
//
// It has an eighth more addresses than the GPU has memory, as in c10/cuda/CUDACachingAllocator.cpp: pages that have
// lost their memory leave room behind. Cost: one reservation of the seam for each page.
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

    // Gives as many whole pages memory as hold these bytes, and returns their bytes. 0: the GPU is full, and nothing
    // has changed. Requires: a page begins there, and none of them has memory.
    std::int64_t take(const char* from, std::int64_t bytes);

    struct Stretch {
        char* begin = nullptr;
        std::int64_t bytes = 0;
    };
    // The whole pages of a stretch lose their memory, once the stream has come here. Requires: they have some.
    Stretch give_back(const char* from, std::int64_t bytes);

private:
    const seam::Gpu* gpu_;
    Terms terms_;
    std::vector<void*> pages_;  // what each takes of the GPU; null: nothing
    char* address_ = nullptr;
};

}  // namespace sim::slot
