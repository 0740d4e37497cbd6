// Messages that streams start: each as if it had a stream of its own, matched from whatever streams.
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class MessagesOfStreams : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, MessagesOfStreams, both_hosts(), host_name);

constexpr Stream first{1};
constexpr Stream second{2};

// gpu-py: a unit of compute takes 0.1 s; a message 0.05 s + 0.01 s a unit, and 0.05 s to take it. This is 1 s of
// sending.
const Units second_of_data{95};

}  // namespace

TEST_P(MessagesOfStreams, MeetAlthoughBothEndsReceiveFirst) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        const int other = 1 - gpu.rank();
        std::vector<int> received(3);
        Handle coming;
        gpu.start_on(gpu.rank() == 0 ? first : second, [&] {
            coming = gpu.receive_async(other, received, second_of_data);
            gpu.send_async(other, std::vector<int>(3, 10 + gpu.rank()), second_of_data);
        });
        gpu.fetch(coming);
        gpu.report("received", received.at(2));
        gpu.report("at", seconds(Time{gpu.now()}));
        gpu.report("end", seconds(Time{gpu.end_of(coming)}));
    });
    EXPECT_EQ(s.result.reports.at("received").at(0).front(), 11);
    EXPECT_EQ(s.result.reports.at("received").at(1).front(), 10);
    EXPECT_EQ(s.result.reports.at("at").at(0).front(), 0);
    EXPECT_EQ(s.result.reports.at("end").at(0).front(), 1.05);
    EXPECT_EQ(s.end(), 1050ms);
}

TEST_P(MessagesOfStreams, StartWhenTheirStreamComesThereAndKeepItWaitingForNothing) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.start_on(first, [&] {
            gpu.compute("before", Units{10});
            if (gpu.rank() == 0) {
                gpu.send_async(1, second_of_data);
            } else {
                gpu.receive_async(0, second_of_data);
            }
            gpu.compute("after", Units{20});
        });
    });
    EXPECT_EQ(s.span(0, 1).kind, OpKind::send);
    EXPECT_EQ(s.span(0, 1).stream, first);
    EXPECT_EQ(s.span(0, 1).begin, 1s);
    EXPECT_EQ(s.span(0, 1).end, 2s);
    EXPECT_EQ(s.span(0, 2).begin, 1s);
    EXPECT_EQ(s.span(1, 1).kind, OpKind::receive);  // in the order of the program, though it ends behind what follows
    EXPECT_EQ(s.span(1, 1).end, 2050ms);
    EXPECT_EQ(s.span(1, 2).begin, 1s);
    EXPECT_EQ(s.span(1, 1).message, s.span(0, 1).message);
    EXPECT_EQ(s.end(), 3s);
    EXPECT_EQ(s.result.ranks[1].compute, 3s);
}

TEST_P(MessagesOfStreams, AreUnderWaySideBySide) {
    const Simulation s = simulate_well(ranks(3), [](GPU& gpu) {
        gpu.start_on(first, [&] {
            for (int other = 0; other < 3; ++other) {
                if (other != gpu.rank()) {
                    gpu.receive_async(other, second_of_data);
                    gpu.send_async(other, second_of_data);
                }
            }
        });
    });
    EXPECT_EQ(s.end(), 1050ms);
}

TEST_P(MessagesOfStreams, BringTheirDataAsSoonAsTheyAreSent) {
    // Rank 0's stream comes to its send when rank 1 has joined the collective before it, which it does with that data.
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        const auto meet = [&] { gpu.collective(world(gpu), {.size = Units{0}}); };
        if (gpu.rank() == 0) {
            gpu.start_on(first, [&] {
                meet();
                gpu.send_async(1, std::vector<int>{5}, second_of_data);
            });
            return;
        }
        std::vector<int> received(1);
        Handle coming;
        gpu.start_on(second, [&] { coming = gpu.receive_async(0, received, second_of_data); });
        gpu.fetch(coming);
        gpu.compute(Units{received[0] * 2});
        gpu.start_on(first, meet);
        gpu.wait(coming);
    });
    EXPECT_EQ(s.end(), 1s + 100ms + 1050ms);
    EXPECT_EQ(s.result.ranks[1].idle, 100ms);  // until rank 0 begins to send
    EXPECT_EQ(s.result.ranks[1].communication, 1050ms);
}

TEST_P(MessagesOfStreams, MayBeWaitedForByStreamsAndByTheProgramMoreThanOnce) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.start_on(first, [&] {
                gpu.compute(Units{10});
                gpu.send_async(1, second_of_data);
            });
            return;
        }
        Handle coming;
        gpu.start_on(first, [&] { coming = gpu.receive_async(0, second_of_data); });
        const Handle behind = gpu.on(second, [&] {
            gpu.wait(coming);
            gpu.compute(Units{10});
        });
        gpu.wait_and_keep(coming);
        gpu.report("came", seconds(Time{gpu.now()}));
        gpu.wait_and_keep(coming);
        gpu.start_on(first, [&] {
            gpu.wait(coming);
            gpu.compute(Units{20});
        });
        gpu.forget(coming);
        gpu.wait(behind);
        gpu.report("behind", seconds(Time{gpu.now()}));
    });
    EXPECT_EQ(s.result.reports.at("came").at(1).front(), 2.05);
    EXPECT_EQ(s.result.reports.at("behind").at(1).front(), 3.05);
    EXPECT_EQ(s.end(), 4050ms);
    EXPECT_EQ(s.result.ranks[1].idle, 1s);
    EXPECT_EQ(s.result.ranks[1].communication, 1050ms);
    EXPECT_EQ(s.result.ranks[1].compute, 2s);
}

TEST_P(MessagesOfStreams, AStreamThatWaitsForOneIsIdleUntilItsSenderBegins) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.start_on(first, [&] {
                gpu.compute(Units{10});
                gpu.send_async(1, second_of_data);
            });
            return;
        }
        Handle coming;
        gpu.start_on(first, [&] { coming = gpu.receive_async(0, second_of_data); });
        gpu.wait(gpu.on(second, [&] { gpu.wait(coming); }));
    });
    EXPECT_EQ(s.result.ranks[1].idle, 1s);
    EXPECT_EQ(s.result.ranks[1].communication, 1050ms);
}

TEST_P(MessagesOfStreams, ShareLinks) {
    // 1 GB/s down to rank 0, 2 us away: 1 MB from 0 s, 1 MB from 0.5 ms on.
    const Simulation s = simulate_well(ranks(3, star(3)), [](GPU& gpu) {
        gpu.start_on(first, [&] {
            if (gpu.rank() == 0) {
                gpu.receive_async(1, 1_MB);
                gpu.receive_async(2, 1_MB);
            } else {
                gpu.compute(Flops{gpu.rank() == 2 ? 500'000 : 0});
                gpu.send_async(0, 1_MB);
            }
        });
    });
    EXPECT_EQ(s.span(0, 0).end, 2us + 1500us);
    EXPECT_EQ(s.span(0, 1).end, 2us + 2ms);
}

TEST_P(MessagesOfStreams, HoldNoStreamWhereSendsBlock) {
    Cluster cluster = gpu_py();
    cluster.blocking_sends = true;
    const Simulation s = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        gpu.start_on(first, [&] {
            if (gpu.rank() == 0) {
                gpu.send_async(1, second_of_data);
                gpu.compute(Units{10});
            } else {
                gpu.compute(Units{30});
                gpu.receive_async(0, second_of_data);
            }
        });
    });
    EXPECT_EQ(s.span(0, 1).end, 1s);
    EXPECT_EQ(s.span(0, 0).end, 3s);  // until its receive begins
    EXPECT_EQ(s.end(), 3050ms);
}

TEST_P(MessagesOfStreams, DoNotMeetOthers) {
    const Simulation s = simulate(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.start_on(first, [&] { gpu.send_async(1, second_of_data); });
        } else {
            gpu.receive(0, second_of_data);
        }
    });
    ASSERT_FALSE(s.result.ok());
    EXPECT_EQ(s.result.exit_code(), 3);
}

TEST_P(MessagesOfStreams, ThatNeverComeAreExplained) {
    const auto stuck = [&](const std::function<void(GPU&, const Handle&)>& ask, bool waits_before) {
        return simulate(ranks(2),
                        [&](GPU& gpu) {
                            std::vector<int> data(1);
                            if (gpu.rank() == 0) {
                                Handle coming;
                                gpu.start_on(first, [&] {
                                    if (waits_before) {
                                        gpu.collective(world(gpu), {.size = Units{0}});
                                    }
                                    coming = gpu.receive_async(1, data, second_of_data, Tag{4});
                                });
                                ask(gpu, coming);
                            }
                        })
            .result.fault->message;
    };
    const auto fetch = [](GPU& gpu, const Handle& coming) { gpu.fetch(coming); };
    const auto wait = [](GPU& gpu, const Handle& coming) { gpu.wait_and_keep(coming); };
    const char* const never = "asynchronous receive from 1, tag 4   nothing was sent with tag 4; rank 1 has finished";
    EXPECT_THAT(stuck(fetch, true), testing::HasSubstr(std::string("wait for the data of ") + never));
    EXPECT_THAT(stuck(wait, false), testing::HasSubstr(std::string("wait for ") + never));
    EXPECT_THAT(stuck([](GPU&, const Handle&) {}, false),
                testing::HasSubstr(std::string("returned, but still waits for ") + never));
    EXPECT_THAT(stuck(wait, true),
                testing::HasSubstr("wait for stream 1, in its op 0: barrier   1 of 2 have come; missing: rank 1"));
}

TEST_P(MessagesOfStreams, AreFetchedOnceByWhoHasThem) {
    const auto fault = [](const std::function<void(GPU&)>& program) {
        return simulate(ranks(1), program).result.fault->message;
    };
    EXPECT_THAT(fault([](GPU& gpu) { gpu.fetch(gpu.on(first, [] {})); }),
                testing::HasSubstr("rank 0 has no data to fetch: no stream has begun to receive any"));
    EXPECT_THAT(fault([](GPU& gpu) { gpu.on(first, [&] { gpu.compute_async("work", Units{1}); }); }),
                testing::HasSubstr("an asynchronous operation has no place on stream 1"));
}

TEST_P(MessagesOfStreams, GiveOneTimelineForRandomProgramsInEveryOrderAndOnEveryHost) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        const auto program = [seed](GPU& gpu) {
            Random common(seed);  // the same on every rank: what all do together
            Random own(seed * 1000 + static_cast<std::uint64_t>(gpu.rank()));
            const int n = gpu.world_size();
            std::vector<Handle> open;
            double sum = 0;
            for (int step = 0; step < 30; ++step) {
                gpu.compute(Units{static_cast<double>(own.below(10))});
                const auto any_stream = [&] { return Stream{static_cast<std::uint8_t>(1 + own.below(3))}; };
                const Tag tag{step};  // so that it does not matter which stream comes first to its message
                std::vector<int> received(1);
                Handle coming;
                gpu.start_on(any_stream(), [&] {
                    gpu.compute(Units{static_cast<double>(own.below(5))});
                    coming = gpu.receive_async((gpu.rank() + n - 1) % n, received, Units{10}, tag);
                });
                gpu.start_on(any_stream(), [&] {
                    gpu.send_async((gpu.rank() + 1) % n, std::vector<int>{gpu.rank() + step}, Units{10}, tag);
                });
                if (common.below(3) == 0) {
                    gpu.start_on(Stream{4}, [&] { gpu.collective(world(gpu), {.size = Units{5}}); });
                }
                gpu.fetch(coming);
                sum += received[0];
                if (own.below(2) == 0) {
                    gpu.start_on(any_stream(), [&] { gpu.wait(coming); });
                }
                own.below(3) == 0 ? gpu.wait(coming) : gpu.forget(coming);
            }
            gpu.report("sum", sum);
        };
        for (const bool blocking : {false, true}) {
            Cluster cluster = gpu_py();
            cluster.blocking_sends = blocking;
            ranks::LaunchOptions options = ranks(5, cluster);
            const ranks::Result here = ranks::launch(options, program);
            ASSERT_TRUE(here.ok()) << here.fault->message;
            options.host = ranks::Host::fiber;
            options.clock = ranks::Clock::wall;  // in order of time
            options.time_scale = 0;
            EXPECT_EQ(ranks::launch(options, program).timeline_sha256, here.timeline_sha256) << "seed " << seed;
            EXPECT_EQ(here.reports.at("sum").at(1).front(), 30 * 0 + 29 * 30 / 2);
            for (const RankTotals& totals : here.ranks) {
                EXPECT_EQ(totals.compute + totals.communication + totals.idle, here.end - Time{});
                EXPECT_GE(totals.idle, Duration{0});
            }
        }
    }
}
