// Arenas and the memory behind them: lent memory can be read without a fault, and memory that could fault is refused.
#include "ranks/process/arena.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace {

using namespace sim::ranks;

constexpr std::size_t page = 4096;

TEST(SealedMemory, KeepsItsSizeForEver) {
    const Descriptor memory = memory_of(page);
    EXPECT_FALSE(is_sealed(memory, page));
    ASSERT_TRUE(seal(memory, Writers::all));
    EXPECT_TRUE(is_sealed(memory, page));
    EXPECT_FALSE(is_sealed(memory, 2 * page));
    EXPECT_NE(ftruncate(memory.number(), 2 * page), 0);
    EXPECT_NE(ftruncate(memory.number(), 0), 0);
    EXPECT_FALSE(seal(memory, Writers::those_mapped)) << "nor its seals";
}

TEST(SealedMemory, IsNothingElse) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    EXPECT_FALSE(is_sealed(Descriptor(ends[0]), page));
    EXPECT_FALSE(is_sealed(Descriptor(ends[1]), page));
    EXPECT_FALSE(is_sealed(Descriptor(), page));
    const Descriptor growing = memory_of(page);
    fcntl(growing.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
    EXPECT_FALSE(is_sealed(growing, page));
}

// Huge pages can be sealed, too, but may not be available when they are read.
TEST(SealedMemory, IsNotMadeOfHugePages) {
    constexpr std::size_t huge = 2U << 20U;
    Descriptor memory(memfd_create("huge", MFD_HUGETLB | MFD_ALLOW_SEALING));
    if (!memory || ftruncate(memory.number(), huge) != 0) {
        GTEST_SKIP() << "this system has no huge pages";
    }
    ASSERT_TRUE(seal(memory, Writers::all));
    EXPECT_FALSE(is_sealed(memory, huge));
}

TEST(SealedMemory, OfASizeThatCannotBeIsNone) {
    EXPECT_FALSE(memory_of(SIZE_MAX));
    EXPECT_FALSE(make_arena(SIZE_MAX));
    EXPECT_FALSE(make_arena(0)) << "nothing can be mapped of it";
    errno = 0;
    EXPECT_FALSE(is_mapped(map_memory(Descriptor(), page, Access::read)));
    EXPECT_EQ(errno, EBADF) << "as mmap says it";
}

TEST(ADescriptor, BelongsToOneOwner) {
    Descriptor first = memory_of(page);
    const int number = first.number();
    Descriptor second(std::move(first));
    EXPECT_EQ(second.number(), number);
    Descriptor& itself = second;
    second = std::move(itself);
    EXPECT_EQ(second.number(), number);
    second = Descriptor();
    EXPECT_LT(fcntl(number, F_GETFD), 0) << "closed";
}

TEST(Arenas, AreGivenOnceAndSealed) {
    Lines lines(2);
    lines.open(0);
    Arenas arenas(2, page, lines);
    EXPECT_FALSE(arenas.has(0));
    arenas.given(0, memory_of(page).release());  // not sealed
    EXPECT_FALSE(arenas.has(0));
    NewArena first = make_arena(page).value();
    NewArena second = make_arena(page).value();
    object_in<std::byte>(first.mapping)[7] = std::byte{1};
    object_in<std::byte>(second.mapping)[7] = std::byte{2};
    ASSERT_TRUE(LineEnd(lines.end_of_rank(0)).give(first.descriptor.number()));
    EXPECT_TRUE(arenas.has(0)) << "it looks at the line";
    arenas.given(0, second.descriptor.release());
    EXPECT_EQ(arenas.bytes({.rank = 0, .offset = 7, .size = 1}).front(), std::byte{1});
    EXPECT_EQ(arenas.bytes({.rank = 0, .offset = 8, .size = 2}).size(), 2);
}

// Two ranks with an arena each, as the supervisor sees them.
struct TwoArenas {
    Lines lines{3};
    Arenas arenas{3, page, lines};
    RankArenas first{0, page, line(0)};
    RankArenas second{1, page, line(1)};
    RankArenas third{2, page, line(2)};

    LineEnd line(int rank) {
        lines.open(rank);
        return LineEnd(lines.end_of_rank(rank));
    }
    TwoArenas() {
        first.own()[0] = std::byte{10};
        second.own()[0] = std::byte{20};
        EXPECT_TRUE(arenas.has(0) && arenas.has(1));
    }
};

TEST(Arenas, AreReadByThoseWhomTheyAreLentTo) {
    TwoArenas two;
    EXPECT_TRUE(two.arenas.lend(0, 0)) << "it has its own";
    EXPECT_EQ(*two.first.at(0), std::byte{10});
    EXPECT_TRUE(two.arenas.lend(2, 1));
    EXPECT_TRUE(two.arenas.lend(2, 1)) << "once is enough";
    EXPECT_TRUE(two.arenas.lend(2, 0));
    EXPECT_EQ(*two.third.at(two.arenas.places().of({.rank = 0})), std::byte{10}) << "that of 1 comes first";
    EXPECT_EQ(*two.third.at(two.arenas.places().of({.rank = 1})), std::byte{20});
    two.first.own()[3] = std::byte{11};
    EXPECT_EQ(*two.third.at(3), std::byte{11}) << "the same memory";
}

TEST(Arenas, OfARankWhoseLineIsClosedAreLentToNobodyThere) {
    TwoArenas two;
    two.lines.close_end_of_rank(2);
    EXPECT_FALSE(two.arenas.lend(2, 1));
    EXPECT_TRUE(two.arenas.lend(0, 1));
}

TEST(Arenas, ThatNeverComeEndTheWait) {
    Lines lines(1);
    lines.open(0);
    const Descriptor end(dup(lines.end_of_rank(0)));
    RankArenas arenas(0, page, LineEnd(end.number()));
    for (const int supervisor : lines.ends_of_supervisor()) {
        shutdown(supervisor, SHUT_RDWR);
    }
    try {
        arenas.at(page);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "rank 0 cannot map data of rank 1: its line to the supervisor is closed");
    }
}

TEST(ArenaBytes, AreSharedAmongManyRanks) {
    EXPECT_EQ(arena_bytes(1, 10'000), 8192);  // whole pages
    EXPECT_EQ(arena_bytes(2, SIZE_MAX), 256U << 20U);
    EXPECT_EQ(arena_bytes(4096, SIZE_MAX), 64U << 20U);  // 256 GiB in total
}

}  // namespace
