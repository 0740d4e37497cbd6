// Queries about messages not yet received: any source, probes and tests, the same on every host and in every run.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <unistd.h>

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

class Questions : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Questions, both_hosts(), host_name);

// gpu-py: a unit of data takes 0.05 s + 0.01 s, and its receiver 0.05 s; a unit of compute 0.1 s. A rank that probes
// for a message need not receive it.
ranks::LaunchOptions some_unreceived(int count) {
    return {.ranks = count, .host = Questions::GetParam(), .allow_unreceived = true};
}

TEST_P(Questions, FindTheMessageThatIsThereFirst) {
    std::vector<int> sources;
    std::vector<double> times;
    const auto result = ranks::launch(ranks(4), [](GPU& gpu) {
        std::vector<double> reported;
        if (gpu.rank() == 0) {
            for (int i = 1; i < 4; ++i) {
                const Arrival first = gpu.probe();
                reported.push_back(first.source);
                reported.push_back(seconds(Time{gpu.now()}));
                gpu.receive(first.source, Units{1});
            }
            gpu.report("told", reported);
        } else {
            gpu.compute(Units{gpu.rank() == 2 ? 0 : 10 - gpu.rank()});
            gpu.send(0, Units{1});
        }
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    // Rank 2 sends at 0, rank 3 at 0.7, rank 1 at 0.9.
    EXPECT_EQ(result.reports.at("told").at(0), (std::vector<double>{2, 0.06, 3, 0.76, 1, 0.96}));
    EXPECT_EQ(result.end, Time{Duration{1'010'000'000'000}});
}

TEST_P(Questions, OfSeveralAtOneTimeFindTheLowestRank) {
    const auto result = ranks::launch(some_unreceived(4), [](GPU& gpu) {
        if (gpu.rank() > 0) {
            usleep(static_cast<useconds_t>(1000 * (4 - gpu.rank())));  // the highest rank is first in wall time
            return gpu.send(0, Units{1});
        }
        gpu.compute(Units{1});
        gpu.report("first", gpu.probe().source);
        gpu.receive(1, Units{1});
        gpu.report("second", gpu.probe().source);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("first").at(0).front(), 1);
    EXPECT_EQ(result.reports.at("second").at(0).front(), 2);
}

TEST_P(Questions, SayWhatIsThereByNow) {
    const auto result = ranks::launch(some_unreceived(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{1});
            return gpu.send(0, std::vector<int>{7, 8}, "data", Units{2}, Tag{5});  // arrives at 0.17
        }
        std::vector<double> found;
        for (int i = 0; i < 3; ++i) {
            const std::optional<Arrival> now = gpu.probe_now(any_source, Tag{5});
            found.push_back(now ? now->source : -1);
            gpu.compute(Units{1});
        }
        const std::optional<Arrival> there = gpu.probe_now(1, Tag{5});
        found.push_back(there ? static_cast<double>(there->bytes) : -1);
        found.push_back(there ? static_cast<double>(there->size.amount) : -1);
        found.push_back(gpu.probe_now(1, Tag{6}) ? 1 : 0);
        gpu.report("found", found);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("found").at(0), (std::vector<double>{-1, -1, 1, 8, 2e9, 0}));
}

// A rank that only polls waits until its message arrives, and not a moment longer.
TEST_P(Questions, AskedAgainAndAgainTakeThemToTheNextMessage) {
    const auto result = ranks::launch(some_unreceived(3), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            int asked = 0;
            while (!gpu.probe_now(any_source, Tag{2})) {
                ++asked;
            }
            gpu.report("asked", asked);
            gpu.report("at", seconds(Time{gpu.now()}));
        } else {
            gpu.compute(Units{gpu.rank()});
            gpu.send(0, Units{0}, Tag{gpu.rank()});  // arrive at 0.15 and 0.25
        }
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.25);
    EXPECT_EQ(result.reports.at("asked").at(0).front(), 2);  // at 0, and at 0.15 when another message arrived
}

TEST_P(Questions, TestWhetherAnOpHasEndedAndJoinIt) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{2});
            return gpu.send(0, std::vector<int>{42}, "data", Units{0});  // arrives at 0.25, received by 0.3
        }
        std::vector<int> data(1);
        const Handle coming = gpu.receive_async(1, std::span(data), "data", Units{0});
        gpu.report("at first", gpu.test(coming) ? 1 : 0);
        gpu.compute(Units{2});
        gpu.report("then", gpu.test(coming) ? 1 : 0);
        while (!gpu.test(coming)) {
        }
        gpu.report("at", seconds(Time{gpu.now()}));
        gpu.report("data", data.front());
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("at first").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("then").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.3);
    EXPECT_EQ(result.reports.at("data").at(0).front(), 42);
}

TEST_P(Questions, TestStreamsToo) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        const Handle exchanged = gpu.on(Stream{1}, [&] {
            gpu.send(1 - gpu.rank(), Units{5});
            gpu.receive(1 - gpu.rank(), Units{5});
        });
        int asked = 0;
        while (!gpu.test(exchanged)) {
            gpu.compute(Units{0.5});
            ++asked;
        }
        gpu.report("asked", asked);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("asked").at(0).front(), 3);  // 0.1 to send, 0.05 to receive
}

// A master hands out work as results return; workers take different times, in wall time as well.
void master_and_workers(GPU& gpu, int rounds, std::uint64_t seed) {
    constexpr Tag result{1};
    constexpr Tag work{2};
    Random random(seed * 1000 + static_cast<std::uint64_t>(gpu.rank()));
    const int workers = gpu.world_size() - 1;
    if (gpu.rank() == 0) {
        std::vector<double> order;
        for (int i = 0; i < rounds; ++i) {
            std::optional<Arrival> arrival = gpu.probe_now(any_source, result);
            while (!arrival) {
                if (random.below(2) == 0) {
                    gpu.compute(Units(random.below(3)));
                }
                arrival = gpu.probe_now(any_source, result);
            }
            gpu.receive(arrival->source, arrival->size, result);
            order.push_back(arrival->source);
            gpu.send(arrival->source, Units{1}, work);
        }
        for (int worker = 1; worker <= workers; ++worker) {
            gpu.send(worker, Units{0}, Tag{3});
        }
        return gpu.report("order", order);
    }
    gpu.send(0, Units{1}, result);
    for (;;) {
        if (random.below(4) == 0) {
            usleep(static_cast<useconds_t>(random.below(200)));
        }
        while (!gpu.probe_now(0, work) && !gpu.probe_now(0, Tag{3})) {
        }
        if (gpu.probe_now(0, Tag{3})) {
            gpu.receive(0, Units{0}, Tag{3});
            if (gpu.probe_now(0, work)) {
                gpu.receive(0, Units{1}, work);
            }
            return;
        }
        gpu.receive(0, Units{1}, work);
        gpu.compute(Units(random.below(5)));
        gpu.send(0, Units(1 + random.below(3)), result);
    }
}

Cluster with_links(int ranks) {
    Cluster cluster = gpu_py();
    cluster.network = star(ranks).network;
    cluster.bytes_per_unit = 10'000'000;
    return cluster;
}

Cluster with_loggp(int /*ranks*/) {
    Cluster cluster = gpu_py();
    cluster.network = LogGP{.latency = Duration{1'000'000'000},
                            .overhead = Duration{300'000'000},
                            .gap = Duration{400'000'000},
                            .gap_per_byte = {900, 1},
                            .eager_limit = Bytes{30'000'000}};
    cluster.bytes_per_unit = 10'000'000;
    return cluster;
}

// The message announces itself, and holds its sender until it is received.
TEST_P(Questions, FindAMessageWhoseSenderWaits) {
    const auto result = ranks::launch(ranks(2, with_loggp(2)), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            return gpu.send(0, Units{4});  // 40 MB
        }
        const Arrival arrival = gpu.probe();
        gpu.report("at", seconds(Time{gpu.now()}));  // o + L
        gpu.compute(Units{1});
        gpu.receive(arrival.source, arrival.size);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.0013);
    EXPECT_EQ(result.ranks[1].end, Time{Duration{101'300'000'000}});
}

TEST(QuestionsOfManyRuns, HaveOneTimelineOnEveryNetworkAndHost) {
    const std::vector<std::function<Cluster(int)>> networks{[](int) { return gpu_py(); }, with_links, with_loggp};
    for (std::size_t network = 0; network < networks.size(); ++network) {
        for (const int count : {2, 5, 9}) {
            for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                const Cluster cluster = networks[network](count);
                const ranks::Program program = [seed](GPU& gpu) { master_and_workers(gpu, 15, seed); };
                const auto fibers = ranks::launch({.ranks = count,
                                                   .host = ranks::Host::fiber,
                                                   .cluster = cluster,
                                                   .record = true,
                                                   .allow_unreceived = true},
                                                  program);
                ASSERT_TRUE(fibers.ok()) << network << ": " << fibers.fault->message;
                const auto processes =
                    ranks::launch({.ranks = count, .cluster = cluster, .allow_unreceived = true}, program);
                ASSERT_TRUE(processes.ok()) << network << ": " << processes.fault->message;
                EXPECT_EQ(fibers.timeline_sha256, processes.timeline_sha256) << network << ", seed " << seed;
                EXPECT_EQ(fibers.reports, processes.reports);
                EXPECT_EQ(fibers.recording->replay({.cluster = cluster}).timeline_sha256, fibers.timeline_sha256);
            }
        }
    }
}

TEST(QuestionsOfManyRuns, AreAnsweredAlikeInTwentyRuns) {
    std::string first;
    for (int run = 0; run < 20; ++run) {
        const auto result =
            ranks::launch({.ranks = 6, .allow_unreceived = true}, [](GPU& gpu) { master_and_workers(gpu, 15, 7); });
        ASSERT_TRUE(result.ok()) << result.fault->message;
        first = run == 0 ? result.timeline_sha256 : first;
        ASSERT_EQ(result.timeline_sha256, first) << "run " << run;
    }
}

TEST_P(Questions, ThatNothingCanEverAnswerAreADeadlock) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.probe(any_source, Tag{3});
        } else if (gpu.rank() == 1) {
            gpu.send(0, Units{1}, Tag{4});
            while (!gpu.probe_now(2)) {
            }
        }
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.fault->message,
              "deadlock at 60 ms: 2 of 3 ranks can never go on\n"
              "  rank 0, op 0: wait for a message from any rank, tag 3   rank 1 sent tag 4 at 0 s; did you mean 4?\n"
              "  rank 1, op 2: ask for a message from 2   nothing was sent; rank 2 has finished");
}

TEST_P(Questions, ForAnythingAreADeadlockWhereNothingComes) {
    const auto message = [](const ranks::Program& program) { return ranks::launch(ranks(3), program).fault->message; };
    EXPECT_THAT(message([](GPU& gpu) {
                    if (gpu.rank() == 0) {
                        gpu.probe();
                    }
                }),
                HasSubstr("rank 0, op 0: wait for a message from any rank   nothing was sent to it; all others have "
                          "finished"));
    EXPECT_THAT(message([](GPU& gpu) {
                    if (gpu.rank() == 0) {
                        gpu.probe(any_source, Tag{3});
                    } else if (gpu.rank() == 1) {
                        gpu.receive(0, Units{1});
                    }
                }),
                HasSubstr("nothing was sent to it with tag 3; 1 of the others wait, too"));
    EXPECT_THAT(message([](GPU& gpu) {
                    if (gpu.rank() == 0) {
                        gpu.probe(any_source, Tag{3});
                    } else if (gpu.rank() == 1) {
                        gpu.send(0, Units{1}, Tag{9});
                        gpu.send(0, Units{1}, Tag{5});
                    }
                }),
                HasSubstr("rank 1 sent tag 5 at "));
}

TEST_P(Questions, AboutAnOpThatNeverEndsAreADeadlock) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle coming = gpu.receive_async(1, Units{1});
            while (!gpu.test(coming)) {
            }
        }
    });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(
        result.fault->message,
        HasSubstr("rank 0, op 2: ask again and again for asynchronous receive from 1   nothing was sent; rank 1 "
                  "has finished"));
}

TEST_P(Questions, AreNotAboutWhatIsJoinedAlready) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle sent = gpu.send_async(1, Units{1});
            gpu.wait(sent);
            gpu.test(sent);
        } else {
            gpu.receive(0, Units{1});
        }
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message, HasSubstr("rank 0, op 2: asks at 60 ms for its asynchronous op 0, which it has "
                                                 "already joined"));
}

TEST_P(Questions, HaveNoPlaceOnAStreamAndNameARank) {
    const auto message = [](const ranks::LaunchOptions& options, const ranks::Program& program) {
        const auto result = ranks::launch(options, program);
        return result.ok() ? std::string("fine") : result.fault->message;
    };
    EXPECT_THAT(message(ranks(2), [](GPU& gpu) { gpu.start_on(Stream{1}, [&] { gpu.probe(); }); }),
                HasSubstr("asking for messages has no place on stream 1"));
    EXPECT_THAT(message(ranks(2), [](GPU& gpu) { gpu.probe_now(7); }),
                HasSubstr("cannot receive from rank 7: ranks are 0 to 1"));
    EXPECT_THAT(message(ranks(2), [](GPU& gpu) { gpu.probe(any_source, Tag{-1}); }),
                HasSubstr("a tag must be 0 or more, not -1"));
    EXPECT_THAT(message(ranks(2),
                        [](GPU& gpu) {
                            gpu.test(Handle{3, {}});
                        }),
                HasSubstr("asks for a handle that none of its operations returned"));
}

}  // namespace
