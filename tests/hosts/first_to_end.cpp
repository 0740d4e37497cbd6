// Waiting for the first of several asynchronous ops: the same on every host, and as long as waiting for that op alone.
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <algorithm>
#include <tuple>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

class FirstToEnd : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, FirstToEnd, both_hosts(), host_name);

std::string message_of(const ranks::LaunchOptions& options, const ranks::Program& program) {
    const auto result = ranks::launch(options, program);
    return result.ok() ? std::string("fine") : result.fault->message;
}

// gpu-py: a unit of data takes 0.05 s + 0.01 s, and its receiver 0.05 s; a unit of compute 0.1 s.
TEST_P(FirstToEnd, IsTheReceiveWhoseMessageIsThereFirst) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        if (gpu.rank() > 0) {
            gpu.compute(Units{gpu.rank() == 1 ? 10 : 5});
            return gpu.send(0, std::vector<int>{100 + gpu.rank()}, Units{1});  // arrives at 1.06 and 0.56
        }
        std::vector<int> data(2);
        const std::vector<Handle> both{gpu.receive_async(1, std::span(data).first(1), Units{1}),
                                       gpu.receive_async(2, std::span(data).last(1), Units{1})};
        gpu.report("first", static_cast<double>(gpu.wait_any(both)));
        gpu.report("data", data[1]);
        gpu.report("at", seconds(Time{gpu.now()}));
        gpu.report("other", static_cast<double>(gpu.wait_any(std::span(both).first(1))));
        gpu.report("its data", data[0]);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("first").at(0).front(), 1);
    EXPECT_EQ(result.reports.at("data").at(0).front(), 102);
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.61);
    EXPECT_EQ(result.reports.at("other").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("its data").at(0).front(), 101);
    EXPECT_EQ(result.end, Time{1110ms});
}

TEST_P(FirstToEnd, OfSeveralAtOneTimeIsTheOneNamedFirst) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        if (gpu.rank() > 0) {
            return gpu.send(0, Units{1});
        }
        const Handle from_1 = gpu.receive_async(1, Units{1});
        const Handle from_2 = gpu.receive_async(2, Units{1});
        gpu.report("first", static_cast<double>(gpu.wait_any(std::vector{from_2, from_1})));
        gpu.wait(from_1);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("first").at(0).front(), 0);
    EXPECT_EQ(result.end, Time{110ms});
}

TEST_P(FirstToEnd, CanBeAComputationAStreamOrASend) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        const Handle computed = gpu.compute_async("work", Units{10});  // ends at 1
        const Handle exchanged = gpu.on(Stream{1}, [&] {               // 0.1 to send, 0.05 to receive
            gpu.send(1 - gpu.rank(), Units{5});
            gpu.receive(1 - gpu.rank(), Units{5});
        });
        const Handle sent = gpu.send_async(1 - gpu.rank(), Units{25});  // ends at 0.3
        const Handle coming = gpu.receive_async(1 - gpu.rank(), Units{25});
        std::vector<Handle> left{computed, exchanged, sent, coming};
        std::vector<double> order;
        while (!left.empty()) {
            const std::size_t first = gpu.wait_any(left);
            order.push_back(static_cast<double>(left[first].number));
            order.push_back(seconds(Time{gpu.now()}));
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(first));
        }
        gpu.report("order", order);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("order").at(1), (std::vector<double>{1, 0.15, 2, 0.3, 3, 0.35, 0, 1}));
}

// Rank 0 receives one message from each other rank, in order of arrival.
void take_as_they_come(GPU& gpu, const std::vector<int>& late, const std::vector<int>& sizes, bool waits_for_any) {
    if (gpu.rank() > 0) {
        const auto self = static_cast<std::size_t>(gpu.rank());
        gpu.compute("late", Duration{1'000'000} * late[self]);
        return gpu.send(0, Bytes{1000 * sizes[self]});
    }
    std::vector<Handle> left;
    std::vector<std::tuple<int, int>> expected;  // arrival time and source
    for (int rank = 1; rank < gpu.world_size(); ++rank) {
        const auto other = static_cast<std::size_t>(rank);
        left.push_back(gpu.receive_async(rank, Bytes{1000 * sizes[other]}));
        expected.emplace_back(late[other] + sizes[other], rank);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<double> order;
    for (const auto& [at, rank] : expected) {
        const auto found =
            waits_for_any ? left.begin() + static_cast<std::ptrdiff_t>(gpu.wait_any(left))
                          : std::find_if(left.begin(), left.end(),
                                         [number = rank - 1](const Handle& open) { return open.number == number; });
        order.push_back(static_cast<double>(found->number));
        if (!waits_for_any) {
            gpu.wait(*found);
        }
        left.erase(found);
    }
    gpu.report("order", order);
}

// 1 GB/s: a kilobyte takes a microsecond.
TEST_P(FirstToEnd, CostsWhatWaitingInThatOrderCosts) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const int n = 2 + random.below(6);
        std::vector<int> late;
        std::vector<int> sizes;
        for (int rank = 0; rank < n; ++rank) {
            late.push_back(random.below(4));
            sizes.push_back(1 + random.below(4));
        }
        const auto run = [&](bool waits_for_any) {
            return ranks::launch(ranks(n, uniform({.bandwidth = GB_per_s})),
                                 [&](GPU& gpu) { take_as_they_come(gpu, late, sizes, waits_for_any); });
        };
        const auto any = run(true);
        const auto known = run(false);
        ASSERT_TRUE(any.ok()) << any.fault->message;
        ASSERT_TRUE(known.ok()) << known.fault->message;
        EXPECT_EQ(any.reports, known.reports) << "seed " << seed;
        EXPECT_EQ(any.timeline_sha256, known.timeline_sha256) << "seed " << seed;
        EXPECT_EQ(any.ranks[0].communication, known.ranks[0].communication) << "seed " << seed;
        EXPECT_EQ(any.ranks[0].idle, known.ranks[0].idle) << "seed " << seed;
    }
}

TEST_P(FirstToEnd, IsFoundWhereMessagesShareLinks) {
    const auto result = ranks::launch(ranks(3, star(3)), [](GPU& gpu) {
        if (gpu.rank() > 0) {  // 1 MB and 2 MB share the link down to rank 0: 2 ms + 2 us, and 3 ms + 2 us
            return gpu.send(0, Bytes{1'000'000 * gpu.rank()});
        }
        std::vector<Handle> left{gpu.receive_async(2, 2_MB), gpu.receive_async(1, 1_MB)};
        gpu.report("first", static_cast<double>(gpu.wait_any(left)));
        gpu.report("at", seconds(Time{gpu.now()}));
        gpu.wait(left[0]);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("first").at(0).front(), 1);
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.002002);
    EXPECT_EQ(result.end, Time{3002us});
}

TEST_P(FirstToEnd, ThatNeverComesIsADeadlockThatSaysSo) {
    EXPECT_THAT(
        message_of(ranks(2),
                   [](GPU& gpu) {
                       if (gpu.rank() == 0) {
                           const std::vector<Handle> both{gpu.receive_async(1, Units{1}),
                                                          gpu.receive_async(1, Units{1}, Tag{4})};
                           gpu.wait_any(both);
                       }
                   }),
        HasSubstr("rank 0, op 2: wait for the first of several, among them asynchronous receive from 1, tag 4"));
}

TEST_P(FirstToEnd, IsOneOfOpsThatAreUnderWay) {
    EXPECT_THAT(message_of(ranks(1), [](GPU& gpu) { gpu.wait_any({}); }),
                HasSubstr("rank 0 waits for the first of no operations"));
    EXPECT_THAT(message_of(ranks(1),
                           [](GPU& gpu) {
                               const std::vector<Handle> unknown{Handle{3, {}}};
                               gpu.wait_any(unknown);
                           }),
                HasSubstr("waits for a handle that none of its operations returned"));
    EXPECT_THAT(
        message_of(
            ranks(1),
            [](GPU& gpu) {
                const std::vector<Handle> both{gpu.compute_async("a", Units{1}), gpu.compute_async("b", Units{1})};
                gpu.wait(both[1]);
                gpu.wait_any(both);
            }),
        HasSubstr("rank 0, op 3: asks at 200 ms for its asynchronous op 1, which it has already joined"));
}

}  // namespace
