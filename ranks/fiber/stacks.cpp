#include "ranks/fiber/stacks.hpp"

#include "ranks/fiber/sanitizers.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace sim::ranks {

namespace {

constexpr int most_guarded = 16'384;        // two mappings each, of the 65,530 that a process has by default
constexpr int most_widely_guarded = 4'096;  // a wide guard costs its stack one page of page table
constexpr std::size_t widest_guard = 8U << 20U;
constexpr std::size_t guards_in_all = std::size_t{4} << 30U;
constexpr std::size_t line = 64;
constexpr std::size_t colours = 16;

// Whether this process has an unlimited address space (ulimit -v).
bool has_all_addresses() {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

std::size_t guard_bytes(int count, std::size_t page) {
    if (count > most_widely_guarded || !has_all_addresses()) {
        return count <= most_guarded ? page : 0;
    }
    return std::min(widest_guard, guards_in_all / static_cast<std::size_t>(count) / page * page);
}

}  // namespace

Stacks::Stacks(int count, std::size_t bytes_each) : count_(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    guard_ = guard_bytes(count, page);
    bytes_each_ = (bytes_each + page - 1) / page * page + guard_;
    total_ = bytes_each_ * static_cast<std::size_t>(count);
    // Guards only use addresses: they do not count where the system limits writable memory.
    const int rights = guard_ > 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
    void* const mapped = mmap(nullptr, total_, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    base_ = static_cast<std::byte*>(mapped);
    // A huge page would cost every rank 2 MiB of memory for the one page it touches.
    madvise(base_, total_, MADV_NOHUGEPAGE);
    for (int index = 0; guard_ > 0 && index < count; ++index) {
        std::byte* const bottom = base_ + bytes_each_ * static_cast<std::size_t>(index) + guard_;
        if (mprotect(bottom, bytes_each_ - guard_, PROT_READ | PROT_WRITE) != 0) {
            munmap(base_, total_);
            throw std::bad_alloc();
        }
    }
    forget_marks();  // of stacks that were here before
}

// Guards have no marks.
void Stacks::forget_marks() const {
    for (int index = 0; sanitizers::has_marks && index < count_; ++index) {
        sanitizers::forget(stack(index));
    }
}

Stacks::~Stacks() {
    forget_marks();
    munmap(base_, total_);
}

std::span<std::byte> Stacks::stack(int index) const {
    // Stack tops a multiple of pages apart would all map to the same cache lines.
    const std::size_t colour = static_cast<std::size_t>(index) % colours * line;
    return {base_ + bytes_each_ * static_cast<std::size_t>(index) + guard_, bytes_each_ - guard_ - colour};
}

int Stacks::guarded_by(const void* at) const {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    if (address < base || address >= base + total_ || (address - base) % bytes_each_ >= guard_) {
        return -1;
    }
    return static_cast<int>((address - base) / bytes_each_);
}

}  // namespace sim::ranks
