#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

namespace {

constexpr std::size_t most_rows = 16;

// All stages, or if there are many the first four, the fullest, the emptiest and the last two.
std::vector<std::size_t> stages_shown(const training::Memory& memory) {
    const std::size_t count = memory.stages.size();
    std::vector<std::size_t> stages;
    for (std::size_t i = 0; i < count; ++i) {
        if (count <= most_rows || i < 4 || i + 2 >= count) {
            stages.push_back(i);
        }
    }
    if (count > most_rows) {
        const auto [least, most] =
            std::minmax_element(memory.stages.begin(), memory.stages.end(),
                                [](const auto& a, const auto& b) { return a.peak.total() < b.peak.total(); });
        stages.push_back(static_cast<std::size_t>(least - memory.stages.begin()));
        stages.push_back(static_cast<std::size_t>(most - memory.stages.begin()));
        std::sort(stages.begin(), stages.end());
        stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    }
    return stages;
}

std::string gb(std::int64_t bytes) {
    return fmt::format("{:.2f}", static_cast<double>(bytes) / 1e9);
}

std::string overflow(const training::StageMemory& stage, std::int64_t capacity) {
    if (stage.peak.total() <= capacity) {
        return "";
    }
    if (!stage.overflow) {
        return "does not fit";
    }
    return *stage.overflow < 0 ? "the states do not fit" : fmt::format("layer {} does not fit", *stage.overflow);
}

}  // namespace

std::string memory_table(const training::Memory& memory) {
    using report::Align;
    report::TextTable table{.columns = {{"stage"},
                                        {"params"},
                                        {"grads"},
                                        {"optimizer"},
                                        {"activations"},
                                        {"working"},
                                        {"buffers"},
                                        {"reserve"},
                                        {"total"},
                                        {"left"},
                                        {"in flight"},
                                        {"when", Align::left},
                                        {"", Align::left}},
                            .rows = {},
                            .margin = "  "};
    const std::vector<std::size_t> shown = stages_shown(memory);
    for (const std::size_t i : shown) {
        const training::StageMemory& stage = memory.stages[i];
        const training::MemoryUse& use = stage.peak;
        table.rows.push_back({{fmt::format("{}", stage.stage), gb(use.parameters), gb(use.gradients), gb(use.optimizer),
                               gb(use.activations), gb(use.working), gb(use.buffers), gb(use.reserve), gb(use.total()),
                               gb(memory.capacity - use.total()), fmt::format("{}", stage.in_flight), stage.when,
                               overflow(stage, memory.capacity)}});
    }
    if (shown.size() < memory.stages.size()) {
        table.rows.push_back({{},
                              fmt::format("  shown: {} of {} stages, among them the emptiest and the fullest",
                                          shown.size(), memory.stages.size())});
    }
    return fmt::format("\nMemory of a rank at its peak, in GB of {} GB\n", gb(memory.capacity)) + text_of(table);
}

}  // namespace sim::explain
