#include "tools/torch/slot/cpu_build/expandable_segment.hpp"

#include "tools/torch/slot/errors.hpp"

#include <c10/util/Exception.h>
#include <sys/mman.h>

#include <utility>

namespace sim::slot {

namespace {

std::int64_t pages_for(std::int64_t bytes, std::int64_t page) {
    return (bytes + page - 1) / page;
}

}  // namespace

ExpandableSegment::ExpandableSegment(const seam::Gpu& gpu, Terms terms) : gpu_(&gpu), terms_(terms) {
    const std::int64_t memory = gpu.properties(terms.device)->memory_bytes;
    pages_.resize(static_cast<std::size_t>(pages_for(memory + memory / 8, terms.page)));
    void* const begin = mmap(nullptr, static_cast<std::size_t>(bytes()), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TORCH_CHECK(begin != MAP_FAILED, "this computer has no ", bytes(), " addresses left for an expandable segment");
    address_ = static_cast<char*>(begin);
}

ExpandableSegment::~ExpandableSegment() {
    munmap(address_, static_cast<std::size_t>(bytes()));
}

std::int64_t ExpandableSegment::take(const char* from, std::int64_t bytes) {
    const auto begin = static_cast<std::size_t>((from - address_) / terms_.page);
    const std::size_t end = begin + static_cast<std::size_t>(pages_for(bytes, terms_.page));
    for (std::size_t page = begin; page < end; ++page) {
        pages_[page] = gpu_->reserve(terms_.device, terms_.page);
        if (pages_[page] == nullptr) {
            while (page-- > begin) {
                gpu_->give_back(std::exchange(pages_[page], nullptr));
            }
            return 0;
        }
    }
    return static_cast<std::int64_t>(end - begin) * terms_.page;
}

ExpandableSegment::Stretch ExpandableSegment::give_back(const char* from, std::int64_t bytes) {
    const std::int64_t begin = pages_for(from - address_, terms_.page);
    const std::int64_t end = (from - address_ + bytes) / terms_.page;
    if (begin >= end) {
        return {};
    }
    require(gpu_->synchronize_stream({terms_.device, terms_.stream}));
    for (std::int64_t page = begin; page < end; ++page) {
        gpu_->give_back(std::exchange(pages_[static_cast<std::size_t>(page)], nullptr));
    }
    const Stretch lost{address_ + begin * terms_.page, (end - begin) * terms_.page};
    madvise(lost.begin, static_cast<std::size_t>(lost.bytes), MADV_DONTNEED);
    return lost;
}

}  // namespace sim::slot
