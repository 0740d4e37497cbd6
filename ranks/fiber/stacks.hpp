// Stacks allocates the stacks of many fibers in one mapping: a rank costs the pages it touches, whatever the size
// reserved.
//
// Up to 16,384 stacks have a guard page; beyond, the kernel's limit on mappings forbids it.
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

private:
    std::byte* base_ = nullptr;
    std::size_t bytes_each_ = 0;
    std::size_t guard_ = 0;
    std::size_t total_ = 0;
};

}  // namespace sim::ranks
