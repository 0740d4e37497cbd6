// The picture of a GPU's memory: bar lengths are proportional to the parts.
#include "libsim/explain/memory/report.hpp"

#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

namespace sim::explain {

using namespace predict;
namespace {

using testing::HasSubstr;

MemoryReport report_of(int pp, std::int64_t capacity) {
    MemoryReport report{.what = {.model = training::preset("gpt3-6.7b"), .machine = training::machine("dgx-h100")}};
    report.what.layout.parallelism.pp = pp;
    report.what.layout.batch.global = 16;
    report.what.machine.gpu.memory_bytes = capacity;
    report.memory = training::memory_of(report.what.model, report.what.machine, report.what.layout);
    report.steps = training::memory_over_time(report.what.model, report.what.machine, report.what.layout, 0);
    return report;
}

// Total width of all rectangles whose title has this prefix.
double sum_of_widths(const std::string& svg, const std::string& title) {
    const std::regex bar("width=\"([0-9.]+)\" height=\"[0-9.]+\" fill=\"#[0-9A-Fa-f]+\"><title>" + title);
    double sum = 0;
    for (std::sregex_iterator at(svg.begin(), svg.end(), bar); at != std::sregex_iterator(); ++at) {
        sum += std::stod((*at)[1]);
    }
    return sum;
}

// 700 pixels represent 108 % of the GPU's 90 GB.
TEST(MemoryPicture, HasABarOfAllPartsForEachStage) {
    const MemoryReport report = report_of(4, 90'000'000'000);
    const std::string svg = memory_svg(report);
    for (const training::StageMemory& stage : report.memory.stages) {
        EXPECT_NEAR(sum_of_widths(svg, fmt::format("stage {}: ", stage.stage)),
                    static_cast<double>(stage.peak.total()) / 90e9 / 1.08 * 700, 7 * 0.01);
        EXPECT_NEAR(sum_of_widths(svg, fmt::format("stage {}: activations ", stage.stage)),
                    static_cast<double>(stage.peak.activations) / 90e9 / 1.08 * 700, 0.01);
    }
    EXPECT_THAT(svg, HasSubstr("dashed: the 90.00 GB of a GPU<"));
}

TEST(MemoryPicture, ReachesBeyondAGpuThatIsTooSmall) {
    const MemoryReport report = report_of(1, 40'000'000'000);
    const std::int64_t total = report.memory.fullest().peak.total();
    ASSERT_GT(total, 40'000'000'000);
    const std::string svg = memory_svg(report);
    EXPECT_NEAR(sum_of_widths(svg, "stage 0: "), 700 / 1.08, 7 * 0.01);
    EXPECT_THAT(svg, HasSubstr("dashed: the 40.00 GB of a GPU, which are too few<"));
    const double limit = 84 + 40e9 / static_cast<double>(total) / 1.08 * 700;
    EXPECT_THAT(svg, HasSubstr(fmt::format("<line x1=\"{:.1f}\"", limit)));
}

TEST(MemoryPicture, HasAnAreaForEachPartOverTime) {
    const std::string svg = memory_svg(report_of(2, 90'000'000'000));
    const std::regex polygon("<polygon ");
    EXPECT_EQ(std::distance(std::sregex_iterator(svg.begin(), svg.end(), polygon), std::sregex_iterator()), 7);
    EXPECT_THAT(svg, HasSubstr(">stage 0 in the steps of its schedule, in GB; "));
}

}  // namespace
}  // namespace sim::explain
