// Queries for the end time of an asynchronous op, and for whether it has ended by a time other than the program's: the
// queries that a host makes.
#include "libsim/replay/recording.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <functional>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

class AskingForEnds : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, AskingForEnds, both_hosts(), host_name);

constexpr Stream first{1};
constexpr Stream second{2};

std::string message_of(const ranks::LaunchOptions& options, const ranks::Program& program) {
    const auto result = ranks::launch(options, program);
    return result.ok() ? std::string("fine") : result.fault->message;
}

double number(bool answer) {
    return answer ? 1 : 0;
}

// gpu-py: a unit of compute takes 0.1 s; a message takes 0.05 s + 0.01 s a unit, and 0.05 s to be received.
TEST_P(AskingForEnds, AnEndIsToldWithoutWaitingForIt) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{30});
            return gpu.start_on(first, [&] { gpu.send(0, Units{95}); });
        }
        const Handle computed = gpu.compute_async("work", Units{20});
        const Handle came = gpu.on(first, [&] { gpu.receive(1, Units{95}); });
        const Handle here = gpu.mark();
        gpu.report("ends", std::vector<double>{seconds(Time{gpu.end_of(computed)}), seconds(Time{gpu.end_of(came)}),
                                               seconds(Time{gpu.end_of(here)}), seconds(Time{gpu.now()})});
        gpu.wait(came);
        gpu.report("joined", seconds(Time{gpu.now()}));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("ends").at(0), (std::vector<double>{2, 4.05, 0, 0}));
    EXPECT_EQ(result.reports.at("joined").at(0).front(), 4.05);
}

TEST_P(AskingForEnds, WhetherAnOpHasEndedByATimeIsExactBeforeAndBehindTheProgram) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        const Handle met = gpu.on(first, [&] {
            gpu.compute(Units{gpu.rank() * 30});
            gpu.collective(world(gpu), {.size = Units{0}});  // 3 s to 3.1 s
        });
        gpu.compute(Units{10});
        std::vector<double> answers;
        for (const Duration at : {Duration{0}, Duration{500ms}, Duration{3100ms} - Duration{1}, Duration{3100ms}}) {
            answers.push_back(number(gpu.ended_by(met, at)));
        }
        answers.push_back(number(gpu.ended_by(met, Duration{2s})));
        answers.push_back(seconds(Time{gpu.now()}));
        gpu.report("answers", answers);
        gpu.wait(met);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("answers").at(0), (std::vector<double>{0, 0, 0, 1, 0, 1}));
    EXPECT_EQ(result.reports.at("answers").at(1), (std::vector<double>{0, 0, 0, 1, 0, 1}));
}

// A host that asks every 10 ms, starting when its GPU is idle.
void poll(GPU& gpu, const Handle& handle, Duration at, const char* name) {
    while (!gpu.ended_by(handle, at)) {
        at += 10ms;
    }
    gpu.report(name, seconds(Time{at}));
}

TEST_P(AskingForEnds, AHostThatPollsSeesTheEndAtTheFirstPollBehindIt) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{30});
            return gpu.send(0, Units{0});  // arrives at 3.05 s, received at 3.1 s
        }
        poll(gpu, gpu.receive_async(1, Units{0}), Duration{5ms}, "seen");
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("seen").at(0).front(), 3.105);
    EXPECT_EQ(result.end, Time{3100ms});
}

TEST_P(AskingForEnds, HostsThatPollForEachOtherComeToTheirEnds) {
    // Rank 1 computes 0.1 s before it sends. So in round k rank 0 gets its message at 0.2 s + k x 0.15 s (compute,
    // send, receive; each compute starts when the previous send has ended), and rank 1 gets rank 0's reply 0.1 s later.
    constexpr int rounds = 20;
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        const int other = 1 - gpu.rank();
        const Stream out = gpu.rank() == 0 ? first : second;
        const Stream in = gpu.rank() == 0 ? second : first;
        Duration host{0};
        for (int round = 0; round < rounds; ++round) {
            gpu.issue_from(host);
            gpu.start_on(out, [&] {
                gpu.compute(Units{gpu.rank()});
                gpu.send(other, Units{0});
            });
            const Handle came = gpu.on(in, [&] { gpu.receive(other, Units{0}); });
            while (!gpu.ended_by(came, host)) {
                host += 1ms;
            }
            gpu.forget(came);
        }
        gpu.report("host", seconds(Time{host}));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("host").at(0).front(), 3.05);
    EXPECT_EQ(result.reports.at("host").at(1).front(), 3.0);
    EXPECT_EQ(result.end, Time{3050ms});
}

TEST_P(AskingForEnds, OfTwoRanksThatAskTheEarlierIsAnsweredFirst) {
    // Rank 1 continues at 1 s, when no message has arrived; its message is received at 1.1 s. Rank 0 asks about it
    // later.
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.probe_for(1s, 0);
            return gpu.start_on(first, [&] { gpu.send(0, Units{0}); });
        }
        const Handle came = gpu.on(first, [&] { gpu.receive(1, Units{0}); });
        gpu.report("before", number(gpu.ended_by(came, Duration{1100ms} - Duration{1})));
        gpu.report("then", number(gpu.ended_by(came, Duration{1100ms})));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("before").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("then").at(0).front(), 1);
}

TEST_P(AskingForEnds, IsExactWhereMessagesShareLinks) {
    const auto result = ranks::launch(ranks(3, star(3)), [](GPU& gpu) {
        if (gpu.rank() > 0) {  // 1 MB and 2 MB share the link down to rank 0: 2 ms + 2 us, and 3 ms + 2 us
            return gpu.start_on(first, [&] { gpu.send(0, Bytes{1'000'000 * gpu.rank()}); });
        }
        const Handle small = gpu.on(first, [&] { gpu.receive(1, 1_MB); });
        const Handle large = gpu.on(second, [] {});
        std::vector<double> answers;
        for (const Duration at : {Duration{2002us} - Duration{1}, Duration{2002us}, Duration{1ms}}) {
            answers.push_back(number(gpu.ended_by(small, at)));
        }
        gpu.report("answers", answers);
        gpu.report("end", seconds(Time{gpu.end_of(gpu.on(first, [&] { gpu.receive(2, 2_MB); }))}));
        gpu.forget(large);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("answers").at(0), (std::vector<double>{0, 1, 0}));
    EXPECT_EQ(result.reports.at("end").at(0).front(), 0.003002);
}

TEST_P(AskingForEnds, WhatIsForgottenGoesOnAndHoldsUpWhoWaitsForIt) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        const Handle met = gpu.on(first, [&] { gpu.collective(world(gpu), {.size = Units{0}}); });
        const Handle behind = gpu.on(second, [&] {
            gpu.wait(met);
            gpu.compute(Units{10});
        });
        gpu.forget(met);
        gpu.compute(Units{gpu.rank() * 10});
        gpu.report("end", seconds(Time{gpu.end_of(behind)}));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("end").at(0).front(), 1.1);
    EXPECT_EQ(result.end, Time{1100ms});
}

TEST_P(AskingForEnds, WhatIsForgottenHasNoName) {
    EXPECT_THAT(message_of(ranks(1),
                           [](GPU& gpu) {
                               const Handle mark = gpu.on(first, [] {});
                               gpu.forget(mark);
                               gpu.wait(mark);
                           }),
                HasSubstr("waits at 0 s for its asynchronous op 0, which it has already joined"));
    EXPECT_THAT(message_of(ranks(2), [](GPU& gpu) { gpu.forget(gpu.receive_async(1 - gpu.rank(), Units{1})); }),
                HasSubstr("an asynchronous receive from 1 must be joined"));
}

TEST_P(AskingForEnds, WhatNeverEndsIsADeadlockThatSaysSo) {
    const auto stuck = [&](const std::function<void(GPU&, const Handle&)>& ask) {
        return message_of(ranks(2), [&](GPU& gpu) {
            if (gpu.rank() == 0) {
                const Handle inner = gpu.on(first, [&] { gpu.collective(world(gpu), {.size = Units{0}}); });
                ask(gpu, gpu.on(second, [&] {
                    gpu.compute(Units{10});
                    gpu.wait(inner);
                }));
            }
        });
    };
    const auto polls = [](GPU& gpu, const Handle& never) { poll(gpu, never, Duration{0}, "seen"); };
    const char* const because =
        "stream 2, which waits for stream 1, in its op 0: barrier   1 of 2 have come; missing: rank 1; rank 1 has";
    EXPECT_THAT(stuck([](GPU& gpu, const Handle& never) { gpu.end_of(never); }),
                HasSubstr(std::string("wait for the end of ") + because));
    EXPECT_THAT(stuck(polls), HasSubstr(std::string("ask again and again for ") + because));
}

TEST_P(AskingForEnds, WhoDoesNotLetTimePassAsksForEver) {
    EXPECT_THAT(message_of(ranks(1),
                           [](GPU& gpu) {
                               const Handle computed = gpu.on(first, [&] { gpu.compute(Units{10}); });
                               while (!gpu.ended_by(computed, Duration{500ms})) {
                               }
                           }),
                HasSubstr("ask again and again whether asynchronous op 0 has ended by 500 ms   it ends at 1 s; no time "
                          "passes between the questions"));
}

TEST_P(AskingForEnds, AProgramThatAskedIsReplayed) {
    ranks::LaunchOptions options = ranks(2);
    options.record = true;
    const auto result = ranks::launch(options, [](GPU& gpu) {
        const Handle met = gpu.on(first, [&] { gpu.collective(world(gpu), {.size = Units{0}}); });
        poll(gpu, met, Duration{0}, "seen");
        gpu.compute(Units{1 + gpu.rank()});
        gpu.end_of(met);
        gpu.forget(met);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.recording->replay().timeline_sha256, result.timeline_sha256);
}

}  // namespace
