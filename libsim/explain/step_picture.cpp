// A picture of a step: its time by category, and the memory of its fullest rank.
#include "libsim/explain/explained_step.hpp"
#include "libsim/explain/memory_parts.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

ShareBar time_of(const Prediction& step) {
    ShareBar bar{.title = fmt::format("A step of {}, the average over all ranks", time_text(seconds(step.step))),
                 .whole = seconds(step.step)};
    for (std::size_t i = 0; i < step.budget.size(); ++i) {
        bar.parts.push_back({title_of(static_cast<TimeCategory>(i)), step.budget[i], time_text(step.budget[i]), ""});
    }
    return bar;
}

ShareBar memory_of(const training::Memory& memory) {
    const training::StageMemory& fullest = memory.fullest();
    const auto peak = static_cast<double>(fullest.peak.total());
    const auto capacity = static_cast<double>(memory.capacity);
    ShareBar bar{.title = fmt::format("Memory of a rank of stage {} at its peak, {} of {}", fullest.stage,
                                      bytes_text(peak), bytes_text(capacity)),
                 .whole = std::max(peak, capacity)};
    for (const MemoryPart& part : memory_parts) {
        const auto bytes = static_cast<double>(fullest.peak.*part.bytes);
        bar.parts.push_back({part.name, bytes, bytes_text(bytes), part.colour});
    }
    return bar;
}

}  // namespace

std::string step_svg(const StepReport& report) {
    std::vector<ShareBar> bars;
    if (report.step.step > Duration{0}) {
        bars.push_back(time_of(report.step));
    }
    bars.push_back(memory_of(report.step.memory));
    return svg_of(title_of(report.what), bars);
}

}  // namespace sim::explain
