// Programs that run ahead of their GPU, as a host does that queues work in advance.
#include "tests/support/simulate.hpp"

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

class HostAhead : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, HostAhead, both_hosts(), host_name);

constexpr Duration second{1'000'000'000'000};

// A barrier of 2 ranks on gpu-py: an empty message each way at once, 0.05 s + 0.05 s.
TEST_P(HostAhead, AGpuIdlesUntilItsHostHasWorkForIt) {
    const auto run = simulate_well(ranks(1), [](GPU& gpu) {
        gpu.compute(Units{10});
        gpu.idle_until(3 * second);
        gpu.compute(Units{10});
        gpu.idle_until(second);  // already in the past
        gpu.compute(Units{10});
    });
    EXPECT_EQ(run.end(), 5 * second);
    EXPECT_EQ(run.span(0, 1).begin, 3 * second);
    EXPECT_EQ(run.span(0, 2).begin, 4 * second);
    EXPECT_EQ(run.result.ranks.at(0).idle, 2 * second);
}

TEST_P(HostAhead, AStreamBeginsWhenTheHostSaysAlthoughTheGpuIsStillBusy) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.compute(Units{50});
        gpu.issue_from(second);
        const Handle gathered = gpu.on(Stream{1}, [&] { gpu.collective(world(gpu), {.size = Units{0}}); });
        gpu.issue_from(std::nullopt);
        const Handle reduced = gpu.on(Stream{2}, [&] { gpu.collective(world(gpu), {.size = Units{0}}); });
        gpu.wait(gathered);
        gpu.report("gathered", seconds(Time{gpu.now()}));
        gpu.wait(reduced);
        gpu.report("reduced", seconds(Time{gpu.now()}));
    });
    EXPECT_EQ(run.result.reports.at("gathered").at(0).front(), 5.0);
    EXPECT_EQ(run.result.reports.at("reduced").at(0).front(), 5.1);
    const auto begin_on = [&](Stream stream) {
        const auto& spans = run.spans.at(1);
        return std::find_if(spans.begin(), spans.end(), [&](const auto& s) { return s.stream == stream; })->begin;
    };
    EXPECT_EQ(begin_on(Stream{1}), second);
    EXPECT_EQ(begin_on(Stream{2}), 5 * second);
}

TEST_P(HostAhead, ATimeBeforeTheRunIsRefused) {
    const auto result = ranks::launch(ranks(1), [](GPU& gpu) { gpu.idle_until(-second); });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.fault->message, HasSubstr("rank 0 cannot idle until before the run began"));
}

}  // namespace
