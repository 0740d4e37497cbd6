#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/schedule.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace sim;

constexpr CollectiveKind all_kinds[] = {CollectiveKind::barrier, CollectiveKind::broadcast, CollectiveKind::all_gather,
                                        CollectiveKind::reduce_scatter, CollectiveKind::all_reduce};

TEST(Schedule, WhoeverReceivesIsSentToInTheSameStepTheSameChunk) {
    for (const CollectiveKind kind : all_kinds) {
        for (int n = 1; n <= 17; ++n) {
            for (int root = 0; root < n; root += 3) {
                const Schedule schedule = schedule_of(kind, n, root);
                for (int number = 0; number < schedule.steps; ++number) {
                    for (int member = 0; member < n; ++member) {
                        const Step step = schedule.step(member, number);
                        if (step.from >= 0) {
                            const Step other = schedule.step(step.from, number);
                            ASSERT_EQ(other.to, member) << name_of(kind) << " n=" << n << " step " << number;
                            ASSERT_EQ(other.send_chunk, step.receive_chunk);
                        }
                        if (step.to >= 0) {
                            ASSERT_EQ(schedule.step(step.to, number).from, member);
                        }
                    }
                }
            }
        }
    }
}

// What each member knows of each chunk: whose contributions it holds.
using Knowledge = std::vector<std::vector<std::set<int>>>;

Knowledge run(const Schedule& schedule, Knowledge knows) {
    for (int number = 0; number < schedule.steps; ++number) {
        const Knowledge before = knows;
        for (int member = 0; member < schedule.members; ++member) {
            const Step step = schedule.step(member, number);
            if (step.from < 0) {
                continue;
            }
            const auto chunk = static_cast<std::size_t>(step.receive_chunk);
            const std::set<int>& came = before[static_cast<std::size_t>(step.from)][chunk];
            std::set<int>& here = knows[static_cast<std::size_t>(member)][chunk];
            if (!step.reduce) {
                here = came;
                continue;
            }
            for (const int contribution : came) {
                EXPECT_TRUE(here.insert(contribution).second) << "a contribution is added twice";
            }
        }
    }
    return knows;
}

Knowledge own_contributions(const Schedule& schedule) {
    Knowledge knows;
    for (int member = 0; member < schedule.members; ++member) {
        knows.emplace_back(static_cast<std::size_t>(schedule.chunks), std::set{member});
    }
    return knows;
}

std::set<int> everybody(int n) {
    std::set<int> all;
    for (int member = 0; member < n; ++member) {
        all.insert(member);
    }
    return all;
}

TEST(Schedule, OfAnAllReduceEndsWithEveryContributionOnceEverywhere) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = schedule_of(CollectiveKind::all_reduce, n, 0);
        for (const auto& member : run(schedule, own_contributions(schedule))) {
            for (const auto& chunk : member) {
                ASSERT_EQ(chunk, everybody(n)) << n;
            }
        }
    }
}

TEST(Schedule, OfAReduceScatterEndsWithChunkIWholeAtMemberI) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = schedule_of(CollectiveKind::reduce_scatter, n, 0);
        const Knowledge knows = run(schedule, own_contributions(schedule));
        for (std::size_t member = 0; member < knows.size(); ++member) {
            ASSERT_EQ(knows[member][member], everybody(n)) << n;
        }
    }
}

TEST(Schedule, OfAnAllGatherBringsChunkIFromMemberIToAll) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = schedule_of(CollectiveKind::all_gather, n, 0);
        for (const auto& member : run(schedule, own_contributions(schedule))) {
            for (int chunk = 0; chunk < n; ++chunk) {
                ASSERT_EQ(member[static_cast<std::size_t>(chunk)], std::set{chunk}) << n;
            }
        }
    }
}

TEST(Schedule, OfABroadcastBringsTheRootsChunksToAllFromEveryRoot) {
    for (int n = 1; n <= 12; ++n) {
        for (int root = 0; root < n; ++root) {
            const Schedule schedule = schedule_of(CollectiveKind::broadcast, n, root);
            for (const auto& member : run(schedule, own_contributions(schedule))) {
                for (const auto& chunk : member) {
                    ASSERT_EQ(chunk, std::set{root}) << n;
                }
            }
        }
    }
}

TEST(Schedule, OfABarrierLetsNobodyEndBeforeHavingHeardOfEverybody) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = schedule_of(CollectiveKind::barrier, n, 0);
        Knowledge knows = own_contributions(schedule);
        for (int number = 0; number < schedule.steps; ++number) {
            const Knowledge before = knows;
            for (int member = 0; member < n; ++member) {
                const auto& came = before[static_cast<std::size_t>(schedule.step(member, number).from)][0];
                knows[static_cast<std::size_t>(member)][0].insert(came.begin(), came.end());
            }
        }
        for (const auto& member : knows) {
            ASSERT_EQ(member[0], everybody(n)) << n;
        }
    }
}

TEST(Schedule, OfARingSendsTheFewestMessagesThatAnAllReduceCanDoWith) {
    EXPECT_EQ(schedule_of(CollectiveKind::all_reduce, 8, 0).steps, 14);  // 2 (n-1)
    EXPECT_EQ(schedule_of(CollectiveKind::all_gather, 8, 0).steps, 7);
    EXPECT_EQ(schedule_of(CollectiveKind::barrier, 8, 0).steps, 3);  // log2 n
    EXPECT_EQ(schedule_of(CollectiveKind::barrier, 9, 0).steps, 4);
    EXPECT_EQ(schedule_of(CollectiveKind::barrier, 1, 0).steps, 0);
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
