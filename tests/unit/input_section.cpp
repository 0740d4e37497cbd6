// The sections of an explanation on samples and on the loss of a loader worker.
#include "libsim/explain/input_section.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::explain;
using namespace std::chrono_literals;

double value_of(const Section& section, const std::string& key) {
    const Value& value = section.figure(key).value;
    const auto* const whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

// 20 samples of 20 ms each; copying takes 100 ms without pinned memory and 40 ms with it; the step takes 500 ms.
InputSituation situation(int workers) {
    return {.samples = {20, ""},
            .sample_seconds = {0.02, ""},
            .sample_bytes = {1e6, ""},
            .link = {0.5e9, ""},
            .compute = {0.5, ""},
            .settings = {.loader_workers = workers}};
}

TEST(InputSection, ComparesTheWaysToLoad) {
    const Section section = input_section(situation(4));
    std::vector<double> seconds_each;
    for (const FigureRow& row : section.tables.front().rows) {
        seconds_each.push_back(std::get<double>(row.cells[1]));
        EXPECT_DOUBLE_EQ(std::get<double>(row.cells[1]), std::get<double>(row.cells[2]));
    }
    // 400 ms to load; 100 ms to copy pageable memory, 40 ms to copy pinned memory, nothing if hidden behind compute.
    EXPECT_EQ(seconds_each, (std::vector<double>{1.0, 0.6, 0.54, 0.5}));
    EXPECT_EQ(value_of(section, "idle_before"), 0.5);
    EXPECT_EQ(value_of(section, "idle_after"), 0);
    EXPECT_EQ(value_of(section, "needed"), 1);
    // Loading, pinning at 10 GB/s, copying.
    EXPECT_EQ(value_of(section, "first_seconds"), 0.4 + 0.002 + 0.04);
}

TEST(InputSection, WithoutWorkersHasOneWay) {
    const Section section = input_section(situation(0));
    EXPECT_EQ(section.tables.front().rows.size(), 1U);
    EXPECT_EQ(value_of(section, "idle_before"), value_of(section, "idle_after"));
}

TEST(InputSection, SaysHowManyWorkersAreEnough) {
    InputSituation slow = situation(1);
    slow.sample_seconds.value = 0.1;  // 2 s per batch, for a step of 0.5 s
    const Section section = input_section(slow);
    EXPECT_EQ(value_of(section, "needed"), 4);
    EXPECT_EQ(value_of(section, "idle_after"), 0.75);
}

// Two workers, two batches ahead each, 10 ms to load and 100 ms to compute. When batch 16 begins, batch 17 is taken,
// and batch 21 is requested, the last one; worker 0 has loaded 18 and 20, and dies: 22 never comes. Batches 16 to 21
// are computed.
TEST(LoaderLoss, IsMissedWhenItsFirstMissingBatchIsDue) {
    const LoaderLoss loss =
        loader_loss({.load = 10ms, .compute = 100ms, .workers = 2, .prefetch = 2, .copies_beside = true});
    EXPECT_EQ(loss.ready, 3);  // 18, 19 and 20
    EXPECT_EQ(loss.computed, 6);
    EXPECT_EQ(loss.dry_seconds, 0.6);
}

TEST(Failures, OfAWholeNodeTakeAllItsGpus) {
    Section section{.kind = SectionKind::failures};
    add_failures(section, {.input = {}, .gpus = 16, .gpus_per_node = 8, .checkpoint_seconds = 3600});
    const FigureTable& victims = section.tables.front();
    // Without loader workers the victims are: a GPU's process, a main process, a node.
    ASSERT_EQ(victims.rows.size(), 3U);
    EXPECT_EQ(std::get<std::int64_t>(victims.rows[0].cells[2]), 15);
    EXPECT_EQ(std::get<std::int64_t>(victims.rows[2].cells[1]), 8);
    EXPECT_EQ(value_of(section, "lost_gpu_seconds"), 16 * 1800);
    // 16,384 GPUs x 54 days / 419, over 16.
    EXPECT_DOUBLE_EQ(value_of(section, "between_seconds"), 1024.0 * 54 * 86'400 / 419);
}

}  // namespace
