// Stacks allocates the stacks of many fibers in one mapping: a rank costs the pages it touches, whatever the size
// reserved.
//
// Up to 16,384 stacks have a guard below, which nobody can touch; beyond, the kernel's limit on mappings forbids it. Up
// to 4,096 the guards are wide, so that an array that is larger than its stack ends there, and not in another's: 8 MiB,
// or of many ranks their share of 4 GiB of addresses. Else, and where addresses are limited, a guard is a page.
#pragma once

#include <cstddef>
#include <span>

namespace sim::ranks {

class Stacks {
public:
    // Throws std::bad_alloc where the address space ends.
    Stacks(int count, std::size_t bytes_each);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // The usable part, lowest address first.
    std::span<std::byte> stack(int index) const;
    // Whose stack ends at this address: it lies in the guard. -1: it lies in none. May be called in a signal handler.
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
