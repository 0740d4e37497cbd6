// Payloads in arenas arrive whatever their length and number, and whichever rank dies meanwhile.
#include "tests/support/simulate.hpp"

#include <csignal>
#include <numeric>
#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;

class LongPayloads : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, LongPayloads, both_hosts(), host_name);

std::vector<int> numbers(std::size_t count, int first) {
    std::vector<int> data(count);
    std::iota(data.begin(), data.end(), first);
    return data;
}

TEST_P(LongPayloads, ArriveWhateverTheirLength) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        int wrong = 0;
        for (const std::size_t count : {1U, 4095U, 4096U, 4097U, 16384U, 100000U, 3000000U}) {
            if (gpu.rank() == 0) {
                gpu.send(1, numbers(count, static_cast<int>(count)), "", Units{1});
            } else {
                std::vector<int> data(count);
                gpu.receive(0, std::span(data), "", Units{1});
                wrong += data == numbers(count, static_cast<int>(count)) ? 0 : 1;
            }
        }
        gpu.report("wrong", wrong);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("wrong").at(1).front(), 0);
}

// More than an arena holds, all of it sent before any is received, and then received in another order.
TEST_P(LongPayloads, MoreThanAnArenaHoldsArriveToo) {
    constexpr int messages = 70;
    constexpr std::size_t count = 1'200'000;  // 4.8 MB each: 336 MB
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        int wrong = 0;
        for (int i = 0; i < messages; ++i) {
            if (gpu.rank() == 0) {
                gpu.send(1, numbers(count, i), "", Units{1}, Tag{i});
            }
        }
        for (int i = messages - 1; i >= 0 && gpu.rank() == 1; --i) {
            const std::vector<int> data = gpu.receive<int>(0, "", Units{1}, Tag{i});
            wrong +=
                data.size() == count && data.front() == i && data.back() == i + static_cast<int>(count) - 1 ? 0 : 1;
        }
        gpu.report("wrong", wrong);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("wrong").at(1).front(), 0);
}

// Blocks are recycled: a thousand messages of a megabyte need only a few.
TEST_P(LongPayloads, GoOnForever) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        std::vector<int> data = numbers(250'000, gpu.rank());
        int wrong = 0;
        for (int i = 0; i < 300; ++i) {
            gpu.send((gpu.rank() + 1) % 3, data, "", Units{1});
            std::vector<int> came(data.size());
            gpu.receive((gpu.rank() + 2) % 3, std::span(came), "", Units{1});
            wrong += came.front() == (gpu.rank() + 2 * (i + 1)) % 3 && came.back() == came.front() + 249'999 ? 0 : 1;
            data = std::move(came);
        }
        gpu.report("wrong", wrong);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    for (const auto& [rank, wrong] : result.reports.at("wrong")) {
        EXPECT_EQ(wrong.front(), 0) << rank;
    }
}

TEST(LongPayloadsOfTheDead, StillArriveIfTheyWereSent) {
    const auto result = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, numbers(1'000'000, 5), "", Units{1});
            gpu.receive(1, Units{0});
            raise(SIGKILL);
        }
        std::vector<int> data(1'000'000);
        gpu.receive(0, std::span(data), "", Units{1});
        if (data != numbers(1'000'000, 5)) {
            throw std::runtime_error("other numbers");
        }
        gpu.send(0, Units{0});  // lets rank 0 die only after the check
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.fault->rank, 0) << result.fault->message;
    EXPECT_EQ(result.fault->signal, SIGKILL);
}

// A report can be long, too.
TEST_P(LongPayloads, OfReportsAreKept) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        std::vector<double> values(200'000, gpu.rank());
        values.back() = 42;
        gpu.report("values", values);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("values").at(1).size(), 200'000U);
    EXPECT_EQ(result.reports.at("values").at(1).back(), 42);
}

}  // namespace
