#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/schedule.hpp"
#include "tests/support/all_collectives.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace sim;
using test::all_collectives;
using test::AnyCollective;

Schedule ring_of(CollectiveKind kind, int members, int root = 0) {
    return schedule_of(kind, default_algorithm(kind), members, root);
}

TEST(Schedule, WhoeverReceivesIsSentToInTheSameStepTheSameChunk) {
    for (const AnyCollective& any : all_collectives) {
        for (int n = 1; n <= 17; ++n) {
            for (int root = 0; root < n; root += 3) {
                const Schedule schedule = any.schedule(n, root);
                for (int number = 0; number < schedule.steps; ++number) {
                    for (int member = 0; member < n; ++member) {
                        const Step step = schedule.step(0, member, number);
                        if (step.from >= 0) {
                            const Step other = schedule.step(0, step.from, number);
                            ASSERT_EQ(other.to, member) << any << " n=" << n << " step " << number;
                            const bool changes_place = any.kind == CollectiveKind::all_to_all;
                            ASSERT_EQ(other.send.first, changes_place ? member : step.receive.first);
                        }
                        if (step.to >= 0) {
                            ASSERT_EQ(schedule.step(0, step.to, number).from, member);
                        }
                    }
                }
            }
        }
    }
}

TEST(Schedule, InLockStepHasEverybodySendAndReceiveInEveryStep) {
    for (const AnyCollective& any : all_collectives) {
        for (int n = 1; n <= 17; ++n) {
            const Schedule schedule = any.schedule(n, 0);
            for (int number = 0; schedule.lock_step && number < schedule.steps; ++number) {
                for (int member = 0; member < n; ++member) {
                    ASSERT_GE(schedule.step(0, member, number).to, 0) << any;
                    ASSERT_GE(schedule.step(0, member, number).from, 0) << any;
                }
            }
        }
    }
}

TEST(Schedule, ReducesWhatItSendsFromItsInputAsWholeArraysOnly) {
    for (const AnyCollective& any : all_collectives) {
        const Schedule schedule = any.schedule(5, 0);
        ASSERT_TRUE(!schedule.sends_input || !schedule.step(0, 1, 0).reduce || schedule.chunks == 1) << any;
    }
}

// What each member knows of each chunk: whose contributions it holds.
using Knowledge = std::vector<std::vector<std::set<int>>>;

Knowledge run(const Schedule& schedule, Knowledge knows) {
    const Knowledge input = knows;
    for (int number = 0; number < schedule.steps; ++number) {
        const Knowledge before = schedule.sends_input ? input : knows;
        for (int member = 0; member < schedule.members; ++member) {
            const Step step = schedule.step(0, member, number);
            if (step.from < 0) {
                continue;
            }
            const auto sent = static_cast<std::size_t>(schedule.step(0, step.from, number).send.first);
            const std::set<int>& came = before[static_cast<std::size_t>(step.from)][sent];
            std::set<int>& here = knows[static_cast<std::size_t>(member)][static_cast<std::size_t>(step.receive.first)];
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
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::parameter_server}) {
        for (int n = 1; n <= 33; ++n) {
            const Schedule schedule = schedule_of(CollectiveKind::all_reduce, algorithm, n, 0);
            for (const auto& member : run(schedule, own_contributions(schedule))) {
                for (const auto& chunk : member) {
                    ASSERT_EQ(chunk, everybody(n)) << name_of(algorithm) << " " << n;
                }
            }
        }
    }
}

TEST(Schedule, OfAReduceScatterEndsWithChunkIWholeAtMemberI) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = ring_of(CollectiveKind::reduce_scatter, n);
        const Knowledge knows = run(schedule, own_contributions(schedule));
        for (std::size_t member = 0; member < knows.size(); ++member) {
            ASSERT_EQ(knows[member][member], everybody(n)) << n;
        }
    }
}

TEST(Schedule, OfAnAllGatherBringsChunkIFromMemberIToAll) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = ring_of(CollectiveKind::all_gather, n);
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
            const Schedule schedule = ring_of(CollectiveKind::broadcast, n, root);
            for (const auto& member : run(schedule, own_contributions(schedule))) {
                for (const auto& chunk : member) {
                    ASSERT_EQ(chunk, std::set{root}) << n;
                }
            }
        }
    }
}

TEST(Schedule, OfAReduceEndsWithEveryContributionOnceAtTheRoot) {
    for (int n = 1; n <= 12; ++n) {
        for (int root = 0; root < n; ++root) {
            const Schedule schedule = ring_of(CollectiveKind::reduce, n, root);
            const Knowledge knows = run(schedule, own_contributions(schedule));
            for (const auto& chunk : knows[static_cast<std::size_t>(root)]) {
                ASSERT_EQ(chunk, everybody(n)) << n << " root " << root;
            }
        }
    }
}

TEST(Schedule, OfAGatherBringsChunkIFromMemberIToTheRootAndChangesNobodyElse) {
    for (int n = 1; n <= 12; ++n) {
        for (int root = 0; root < n; ++root) {
            const Schedule schedule = ring_of(CollectiveKind::gather, n, root);
            const Knowledge knows = run(schedule, own_contributions(schedule));
            for (int member = 0; member < n; ++member) {
                for (int chunk = 0; chunk < n; ++chunk) {
                    ASSERT_EQ(knows[static_cast<std::size_t>(member)][static_cast<std::size_t>(chunk)],
                              std::set{member == root ? chunk : member});
                }
            }
        }
    }
}

TEST(Schedule, OfAScatterBringsTheRootsChunkIToMemberIAndNoOther) {
    for (int n = 1; n <= 12; ++n) {
        for (int root = 0; root < n; ++root) {
            const Schedule schedule = ring_of(CollectiveKind::scatter, n, root);
            const Knowledge knows = run(schedule, own_contributions(schedule));
            for (int member = 0; member < n; ++member) {
                for (int chunk = 0; chunk < n; ++chunk) {
                    ASSERT_EQ(knows[static_cast<std::size_t>(member)][static_cast<std::size_t>(chunk)],
                              std::set{member == chunk ? root : member});
                }
            }
        }
    }
}

TEST(Schedule, OfAnAllToAllMakesChunkJOfMemberIChunkIOfMemberJ) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = ring_of(CollectiveKind::all_to_all, n);
        Knowledge knows = own_contributions(schedule);
        for (int member = 0; member < n; ++member) {
            for (int chunk = 0; chunk < n; ++chunk) {
                knows[static_cast<std::size_t>(member)][static_cast<std::size_t>(chunk)] = {100 * member + chunk};
            }
        }
        knows = run(schedule, knows);
        for (int member = 0; member < n; ++member) {
            for (int chunk = 0; chunk < n; ++chunk) {
                ASSERT_EQ(knows[static_cast<std::size_t>(member)][static_cast<std::size_t>(chunk)],
                          std::set{100 * chunk + member});
            }
        }
    }
}

TEST(Schedule, OfABarrierLetsNobodyEndBeforeHavingHeardOfEverybody) {
    for (int n = 1; n <= 33; ++n) {
        const Schedule schedule = ring_of(CollectiveKind::barrier, n);
        Knowledge knows = own_contributions(schedule);
        for (int number = 0; number < schedule.steps; ++number) {
            const Knowledge before = knows;
            for (int member = 0; member < n; ++member) {
                const auto& came = before[static_cast<std::size_t>(schedule.step(0, member, number).from)][0];
                knows[static_cast<std::size_t>(member)][0].insert(came.begin(), came.end());
            }
        }
        for (const auto& member : knows) {
            ASSERT_EQ(member[0], everybody(n)) << n;
        }
    }
}

TEST(Schedule, OfARingSendsTheFewestMessagesThatAnAllReduceCanDoWith) {
    EXPECT_EQ(ring_of(CollectiveKind::all_reduce, 8).steps, 14);  // 2 (n-1)
    EXPECT_EQ(ring_of(CollectiveKind::all_gather, 8).steps, 7);
    EXPECT_EQ(ring_of(CollectiveKind::barrier, 8).steps, 3);  // log2 n
    EXPECT_EQ(ring_of(CollectiveKind::barrier, 9).steps, 4);
    EXPECT_EQ(ring_of(CollectiveKind::barrier, 1).steps, 0);
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
