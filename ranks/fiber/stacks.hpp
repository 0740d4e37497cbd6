// Stacks allocates the stacks of many fibers in one mapping: a rank costs the pages it touches, whatever the size
// reserved.
//
// Up to 16,384 stacks have an inaccessible guard below; with more, the kernel's limit on mappings rules it out. Up to
// 4,096 stacks have wide guards, so that an array larger than its stack ends in the guard, not in another stack: 8 MiB,
// or with many ranks their share of 4 GiB of addresses. Otherwise, and if addresses are limited, a guard is one page.
#pragma once

#include <cstddef>
#include <span>

namespace sim::ranks {

class Stacks {
public:
    // Throws std::bad_alloc if the address space is exhausted.
    Stacks(int count, std::size_t bytes_each);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // The usable part, lowest address first.
    std::span<std::byte> stack(int index) const;
    // The index of the stack whose guard contains this address; -1: none. May be called in a signal handler.
    int guarded_by(const void* at) const;

private:
    void forget_marks() const;

    std::byte* base_ = nullptr;
    std::size_t bytes_each_ = 0;
    std::size_t guard_ = 0;
    std::size_t total_ = 0;
    int count_ = 0;
};

}  // namespace sim::ranks
