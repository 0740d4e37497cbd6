// Data alongside collectives by size: it arrives at no cost in time, on every host and network.
#include "libsim/collectives/whole.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/random.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/star.hpp"

#include <csignal>
#include <cstring>
#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

class DataBeside : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, DataBeside, both_hosts(), host_name);

const Collective all_reduce_of_4_units{.kind = CollectiveKind::all_reduce, .size = Units{4}};

std::vector<double> sum_of(const std::vector<std::span<const std::byte>>& brought) {
    std::vector<double> sum;
    for (const auto& bytes : brought) {
        std::vector<double> numbers(bytes.size() / sizeof(double));
        if (!numbers.empty()) {
            std::memcpy(numbers.data(), bytes.data(), bytes.size());
        }
        sum.resize(std::max(sum.size(), numbers.size()));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            sum[i] += numbers[i];
        }
    }
    return sum;
}

std::vector<double> numbers_of(const GPU& gpu, std::size_t count) {
    return std::vector<double>(count, gpu.rank() + 1.0);
}

// A program whose ranks arrive at different times, with or without data alongside its collectives.
void train(GPU& gpu, bool with_data) {
    double sum = 0;
    for (int step = 0; step < 5; ++step) {
        gpu.compute(Units{1 + gpu.rank()});
        const std::vector<double> mine = numbers_of(gpu, 3);
        const auto brought = with_data ? gpu.bring(std::as_bytes(std::span(mine))) : BroughtData{};
        gpu.collective(world(gpu), all_reduce_of_4_units);
        sum += with_data ? sum_of(gpu.take(brought)).at(2) : 0;
    }
    gpu.report("sum", sum);
}

std::vector<Cluster> clusters() {
    Cluster machine{.name = "machine", .network = Nccl{.within = 1e9, .across = 1e9}, .bytes_per_unit = 1000};
    machine.compute.per_billionth_unit = Pace{1, 1};
    Cluster shared = star(4);
    shared.compute.per_billionth_unit = Pace{1, 1};
    shared.bytes_per_unit = 1000;
    return {gpu_py(), machine, shared};
}

TEST_P(DataBeside, ArriveAndCostNothingOnEveryNetwork) {
    for (const Cluster& cluster : clusters()) {
        const auto with = ranks::launch(ranks(4, cluster), [](GPU& gpu) { train(gpu, true); });
        const auto without = ranks::launch(ranks(4, cluster), [](GPU& gpu) { train(gpu, false); });
        ASSERT_TRUE(with.ok()) << cluster.name << with.fault->message;
        EXPECT_EQ(with.timeline_sha256, without.timeline_sha256) << cluster.name;
        EXPECT_EQ(with.messages, without.messages) << cluster.name;
        for (int rank = 0; rank < 4; ++rank) {
            EXPECT_EQ(with.reports.at("sum").at(rank).front(), 5 * (1 + 2 + 3 + 4)) << cluster.name;
        }
    }
}

TEST_P(DataBeside, OfACollectiveOnAStreamAreThereOnceItIsWaitedFor) {
    const auto program = [](bool with_data) {
        return [with_data](GPU& gpu) {
            std::vector<Handle> handles;
            std::vector<BroughtData> brought;
            const std::vector<double> mine = numbers_of(gpu, 2);
            for (int layer = 0; layer < 3; ++layer) {
                gpu.compute(Units{5});
                handles.push_back(gpu.on(Stream{1}, [&] {
                    if (with_data) {
                        brought.push_back(gpu.bring(std::as_bytes(std::span(mine))));
                    }
                    gpu.collective(world(gpu), all_reduce_of_4_units);
                }));
            }
            double sum = 0;
            for (std::size_t i = 3; i-- > 0;) {  // in another order
                gpu.wait(handles[i]);
                sum += with_data ? sum_of(gpu.take(brought[i])).at(1) : 0;
            }
            gpu.report("sum", sum);
        };
    };
    const auto with = ranks::launch(ranks(3), program(true));
    const auto without = ranks::launch(ranks(3), program(false));
    ASSERT_TRUE(with.ok()) << with.fault->message;
    EXPECT_EQ(with.timeline_sha256, without.timeline_sha256);
    EXPECT_EQ(with.reports.at("sum").at(2).front(), 3 * 6);
}

// 1.6 MB from each rank, 400 times: more than an arena holds if blocks were never released.
TEST_P(DataBeside, OfAnyLengthArriveAndMakeRoomForTheNext) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        double wrong = 0;
        for (int step = 0; step < 400; ++step) {
            const std::vector<double> mine = numbers_of(gpu, step % 4 == 0 ? 200'000 : 100);
            const auto brought = gpu.bring(std::as_bytes(std::span(mine)));
            gpu.collective(world(gpu), all_reduce_of_4_units);
            const auto all = gpu.take(brought);
            double last = 0;
            std::memcpy(&last, all.at(1).last(sizeof last).data(), sizeof last);
            wrong += all.at(0).size() == mine.size() * sizeof(double) && last == 2.0 ? 0 : 1;
        }
        gpu.report("wrong", wrong);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("wrong").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("wrong").at(1).front(), 0);
}

TEST_P(DataBeside, OfABroadcastComeFromItsRootAlone) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        const double number = 17;
        const bool is_root = gpu.rank() == 1;
        const auto data = is_root ? std::as_bytes(std::span(&number, 1)) : std::span<const std::byte>{};
        const auto brought = gpu.bring(data, !is_root);
        gpu.collective(world(gpu), {.kind = CollectiveKind::broadcast, .size = Units{1}, .root = 1});
        if (!is_root) {
            const auto all = gpu.take(brought);
            gpu.report("empty", static_cast<double>(all.at(0).size() + all.at(2).size()));
            gpu.report("number", sum_of(all).at(0));
        }
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("number").at(0).front(), 17);
    EXPECT_EQ(result.reports.at("number").at(2).front(), 17);
    EXPECT_EQ(result.reports.at("empty").at(2).front(), 0);
}

TEST_P(DataBeside, WhoseMembersHaveNotAllComeAreExplainedAsADeadlock) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const auto brought = gpu.bring({});
            gpu.start_on(Stream{1}, [&] { gpu.collective(world(gpu), all_reduce_of_4_units); });
            gpu.take(brought);
        }
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.fault->message,
              "deadlock at 0 s: 1 of 2 ranks can never go on\n"
              "  rank 0, op 1: waits for data of stream 1, in its op 0: all-reduce of 4 units   "
              "1 of 2 have come; missing: rank 1; rank 1 has finished");
}

TEST_P(DataBeside, TakenTwiceOrTooEarlyAreAMistakeOfTheProgram) {
    const auto twice = ranks::launch(ranks(2), [](GPU& gpu) {
        const auto brought = gpu.bring({});
        gpu.collective(world(gpu), all_reduce_of_4_units);
        gpu.take(brought);
        if (gpu.rank() == 1) {
            gpu.take(brought);
        }
    });
    ASSERT_FALSE(twice.ok());
    EXPECT_THAT(twice.fault->message,
                HasSubstr("rank 1 takes at 240 ms the data of its collective 0, which it has already "
                          "taken, or does not take"));
    const auto early = ranks::launch(ranks(2), [](GPU& gpu) { gpu.take(gpu.bring({})); });
    ASSERT_FALSE(early.ok());
    EXPECT_THAT(early.fault->message, HasSubstr("its collective comes first"));
}

TEST_P(DataBeside, SurviveARankThatIsKilledWhileOthersWantThem) {
    if (GetParam() != ranks::Host::process) {
        return;
    }
    const auto result = ranks::launch(ranks(4), [](GPU& gpu) {
        for (int step = 0;; ++step) {
            const std::vector<double> mine = numbers_of(gpu, 50'000);
            const auto brought = gpu.bring(std::as_bytes(std::span(mine)));
            if (gpu.rank() == 2 && step == 20) {
                raise(SIGKILL);
            }
            gpu.collective(world(gpu), all_reduce_of_4_units);
            sum_of(gpu.take(brought));
        }
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.fault->failure, ranks::Failure::rank_died);
    EXPECT_EQ(result.fault->rank, 2);
}

// A rank may die anywhere in its step: before it brings data, before its collective, and while it reads others' data.
TEST(DataBesideCollectives, OfARankThatIsKilledAnywhereLeaveNothing) {
    const Census before;
    Random random(5);
    for (int trial = 0; trial < 60; ++trial) {
        const int victim = random.below(4);
        const int last = random.below(12);
        const int place = random.below(3);
        const std::size_t count = random.below(2) == 0 ? 20 : 20'000;
        const auto result = ranks::launch({.ranks = 4}, [&](GPU& gpu) {
            const auto die_at = [&](int step, int here) {
                if (gpu.rank() == victim && step == last && place == here) {
                    raise(SIGKILL);
                }
            };
            for (int step = 0;; ++step) {
                const std::vector<double> mine = numbers_of(gpu, count);
                die_at(step, 0);
                const auto brought = gpu.bring(std::as_bytes(std::span(mine)));
                die_at(step, 1);
                gpu.start_on(Stream{1}, [&] { gpu.collective(world(gpu), all_reduce_of_4_units); });
                const auto all = gpu.take(brought);
                die_at(step, 2);
                sum_of(all);
            }
        });
        ASSERT_FALSE(result.ok());
        ASSERT_EQ(result.fault->failure, ranks::Failure::rank_died) << "trial " << trial;
        ASSERT_EQ(result.fault->rank, victim) << "trial " << trial;
    }
    EXPECT_EQ(Census{}, before);
}

TEST_P(DataBeside, BroughtTwiceToOneCollectiveAreAMistakeOfTheProgram) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        gpu.bring({});
        gpu.bring({});
        gpu.collective(world(gpu), all_reduce_of_4_units);
    });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.fault->message, HasSubstr("brings data twice to one collective"));
}

TEST_P(DataBeside, OfAnotherMembersAreNotToBeTaken) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.bring({});
        }
        gpu.collective(world(gpu), all_reduce_of_4_units);
        if (gpu.rank() == 1) {
            gpu.take(BroughtData{0});
        }
    });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.fault->message, HasSubstr("rank 1 takes at 240 ms the data of its collective 0, which it has "
                                                 "not begun"));
}

// The given sizes agree; the arrays' lengths do not.
TEST_P(DataBeside, OfArraysOfDifferentLengthAreRefused) {
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::broadcast, CollectiveKind::scatter}) {
        const auto result = ranks::launch(ranks(2), [kind](GPU& gpu) {
            std::vector<double> numbers(gpu.rank() == 0 ? 10 : 4);
            collectives::as_a_whole(gpu, world(gpu), numbers, {.kind = kind, .root = needs_root(kind) ? 0 : -1},
                                    Units{1});
        });
        ASSERT_FALSE(result.ok()) << name_of(kind);
        EXPECT_THAT(result.fault->message, HasSubstr("the arrays of all members must have one length"));
    }
}

// 300 arrays of 1 MiB are more than an arena holds: data that no other rank could take is not kept.
TEST_P(DataBeside, OfAGroupOfOneStayWhereTheyAre) {
    const auto result = ranks::launch(ranks(1), [](GPU& gpu) {
        std::vector<double> numbers(1 << 17, 2.0);
        for (int step = 0; step < 300; ++step) {
            collectives::as_a_whole(gpu, world(gpu), numbers, {.kind = CollectiveKind::broadcast, .root = 0}, Units{1});
        }
        gpu.report("number", numbers.back());
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("number").at(0).front(), 2.0);
}

TEST_P(DataBeside, InWallTimeAreThoseOfVirtualTime) {
    ranks::LaunchOptions options = ranks(4);
    const auto run = [&] { return ranks::launch(options, [](GPU& gpu) { train(gpu, true); }); };
    const auto by_itself = run();
    options.clock = ranks::Clock::wall;
    options.time_scale = 0.001;
    const auto paced = run();
    ASSERT_TRUE(paced.ok()) << paced.fault->message;
    EXPECT_EQ(paced.timeline_sha256, by_itself.timeline_sha256);
    EXPECT_EQ(paced.reports, by_itself.reports);
}

TEST_P(DataBeside, OfARunThatIsRecordedAreInItsRecording) {
    ranks::LaunchOptions options = ranks(3);
    options.record = true;
    const auto run = ranks::launch(options, [](GPU& gpu) {
        gpu.issue_from(Duration{0});
        train(gpu, true);
        gpu.idle_until(Duration{50'000'000'000'000});
        gpu.barrier();
    });
    ASSERT_TRUE(run.ok()) << run.fault->message;
    EXPECT_EQ(run.recording->replay().timeline_sha256, run.timeline_sha256);
}

}  // namespace
