#include "tools/torch/table/memory.hpp"

#include <gtest/gtest.h>

using sim::torch::Memory;

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

char* taken(Memory& memory, std::int64_t bytes) {
    return static_cast<char*>(memory.reserve(0, bytes));
}

}  // namespace

TEST(MemoryOfGpus, IsFullWhenAllOfADeviceIsReserved) {
    Memory memory;
    memory.have(2, 8 * mib);
    EXPECT_NE(taken(memory, 6 * mib), nullptr);
    EXPECT_EQ(taken(memory, 4 * mib), nullptr);
    EXPECT_EQ(memory.free_bytes(0), 2 * mib);
    EXPECT_EQ(memory.free_bytes(1), 8 * mib);
}

TEST(MemoryOfGpus, LiesAtTheLowestAddressesThatAreLongEnough) {
    Memory memory;
    memory.have(1, 64 * mib);
    char* const first = taken(memory, 2 * mib);
    char* const second = taken(memory, 4 * mib);
    char* const third = taken(memory, 2 * mib);
    EXPECT_EQ(second - first, 2 * mib);
    memory.give_back(first);
    memory.give_back(second);
    EXPECT_EQ(taken(memory, 8 * mib), third + 2 * mib);  // 6 MiB are free below
    EXPECT_EQ(taken(memory, 4 * mib), first);
    EXPECT_EQ(taken(memory, 4 * mib), third + 10 * mib);
    EXPECT_EQ(taken(memory, 2 * mib), first + 4 * mib);
}

TEST(MemoryOfGpus, IsEmptyAgainWhenItIsReservedAnew) {
    Memory memory;
    memory.have(1, 8 * mib);
    char* const first = taken(memory, 100);
    *first = 7;
    memory.give_back(first);
    EXPECT_EQ(memory.free_bytes(0), 8 * mib);
    EXPECT_EQ(*taken(memory, 100), 0);
}
