#include "ranks/fiber/stacks.hpp"

#include "ranks/fiber/sanitizers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace sim::ranks {

namespace {

constexpr int most_guarded = 16'384;  // two mappings each, of the 65,530 that a process has by default
constexpr std::size_t line = 64;
constexpr std::size_t colours = 16;

}  // namespace

Stacks::Stacks(int count, std::size_t bytes_each) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    guard_ = count <= most_guarded ? page : 0;
    bytes_each_ = (bytes_each + page - 1) / page * page + guard_;
    total_ = bytes_each_ * static_cast<std::size_t>(count);
    void* mapped = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    base_ = static_cast<std::byte*>(mapped);
    sanitizers::forget({base_, total_});  // of stacks that once lay here
    // A huge page would give every rank 2 MiB of memory for the one page it touches.
    madvise(base_, total_, MADV_NOHUGEPAGE);
    for (int index = 0; guard_ > 0 && index < count; ++index) {
        mprotect(base_ + bytes_each_ * static_cast<std::size_t>(index), guard_, PROT_NONE);
    }
}

Stacks::~Stacks() {
    sanitizers::forget({base_, total_});
    munmap(base_, total_);
}

std::span<std::byte> Stacks::stack(int index) const {
    // Tops a whole number of pages apart would all fall into the same lines of the cache.
    const std::size_t colour = static_cast<std::size_t>(index) % colours * line;
    return {base_ + bytes_each_ * static_cast<std::size_t>(index) + guard_, bytes_each_ - guard_ - colour};
}

}  // namespace sim::ranks
