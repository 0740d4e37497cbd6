#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/schedules/check_schedule.hpp"
#include "libsim/error.hpp"
#include "tests/support/all_collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace {

using namespace sim;
using test::all_collectives;
using test::AnyCollective;

Schedule default_of(CollectiveKind kind, int members, int root = 0) {
    return schedule_of(kind, default_algorithm(kind), members, root);
}

TEST(Schedule, OfEveryKindAlgorithmAndRootDoesWhatItsKindPromises) {
    for (const AnyCollective& any : all_collectives()) {
        for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 24, 32, 33}) {
            for (int root = 0; root < (any.has_root() ? n : 1); root += 1 + n / 3) {
                if (any.fits(n)) {
                    ASSERT_NO_THROW(check_schedule(any.schedule(n, root))) << any << " n=" << n << " root " << root;
                }
            }
        }
    }
}

TEST(Schedule, OfDirectGatherAndScatterChangesNobodyElse) {
    for (int n = 2; n <= 12; ++n) {
        for (int member = 0; member < n; ++member) {
            for (int number = 0; number < n - 1; ++number) {
                EXPECT_TRUE(member == 1 || default_of(CollectiveKind::gather, n, 1).step(0, member, number).from < 0);
                const Step scatter = default_of(CollectiveKind::scatter, n, 1).step(0, member, number);
                EXPECT_TRUE(scatter.from < 0 || scatter.receive.first == member);
            }
        }
    }
}

TEST(Schedule, OfARingSendsTheFewestMessagesThatAnAllReduceCanDoWith) {
    EXPECT_EQ(default_of(CollectiveKind::all_reduce, 8).steps, 14);  // 2 (n-1)
    EXPECT_EQ(default_of(CollectiveKind::all_gather, 8).steps, 7);
    EXPECT_EQ(default_of(CollectiveKind::barrier, 8).steps, 3);  // log2 n
    EXPECT_EQ(default_of(CollectiveKind::barrier, 9).steps, 4);
    EXPECT_EQ(default_of(CollectiveKind::barrier, 1).steps, 0);
}

// Chunks that hold the sum of all members' data.
std::ptrdiff_t full_chunks(const Holdings& holdings) {
    std::ptrdiff_t full = 0;
    for (const std::vector<Held>& of_member : holdings) {
        full += std::count_if(of_member.begin(), of_member.end(),
                              [&](const Held& held) { return held.of.size() == holdings.size(); });
    }
    return full;
}

// Three steps add up: then each member holds one whole sum. Each of the other three hands on four of them.
TEST(Schedule, OfARingHoldsOneSumOnEachMemberAfterHalfItsSteps) {
    std::vector<std::ptrdiff_t> full;
    for (const Holdings& holdings : holdings_of_steps(schedule_of(CollectiveKind::all_reduce, Algorithm::ring, 4, 0))) {
        full.push_back(full_chunks(holdings));
    }
    EXPECT_EQ(full, (std::vector<std::ptrdiff_t>{0, 0, 0, 4, 8, 12, 16}));
}

TEST(Schedule, OfEveryAllReduceLeavesTheSumOfAllInEveryChunk) {
    for (const AnyCollective& any : all_collectives()) {
        if (any.kind == CollectiveKind::all_reduce && any.fits(8)) {
            const Schedule schedule = any.schedule(8, 0);
            EXPECT_EQ(full_chunks(holdings_of_steps(schedule).back()), 8 * schedule.chunks) << any;
        }
    }
}

TEST(ChunkRange, CoversEveryElementOnceWithLengthsThatDifferByOneAtMost) {
    for (std::size_t count : {0U, 1U, 5U, 16U, 17U, 1000U}) {
        for (int chunks = 1; chunks <= 20; ++chunks) {
            std::size_t next = 0;
            for (int index = 0; index < chunks; ++index) {
                const ChunkRange range = chunk_range(count, chunks, index);
                ASSERT_EQ(range.begin, next);
                ASSERT_LE(range.size() - count / static_cast<std::size_t>(chunks), 1U);
                next = range.end;
            }
            ASSERT_EQ(next, count);
        }
    }
}

}  // namespace
