#include "libsim/training/memory.hpp"

#include <fmt/format.h>

namespace sim::training {

namespace {

std::string gib(std::int64_t bytes) {
    return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
}

std::string why(const StageMemory& stage) {
    if (stage.overflow.value_or(-1) >= 0) {
        return fmt::format("layer {} is the first that does not fit, in {}", *stage.overflow, stage.overflow_when);
    }
    return stage.overflow_when == "optimizer step"
               ? "the optimizer step's copies do not fit"
               : fmt::format("parameters, gradients, optimizer states and buffers alone take {}",
                             gib(stage.peak.states() + stage.peak.buffers + stage.peak.context));
}

}  // namespace

std::string explain_overflow(const Memory& memory, const Layout& layout) {
    std::string lines;
    for (const StageMemory& stage : memory.stages) {
        if (stage.peak.total() <= memory.capacity) {
            continue;
        }
        // Ranks of a stage are contiguous: tensor, context and data parallel.
        const int first = stage.stage * layout.parallelism.tp * layout.parallelism.cp * layout.parallelism.dp;
        lines +=
            fmt::format("{}stage {} (ranks {} to {}) needs {} of {} in {}: {}", lines.empty() ? "" : "\n", stage.stage,
                        first, first + layout.parallelism.tp * layout.parallelism.cp * layout.parallelism.dp - 1,
                        gib(stage.peak.total()), gib(memory.capacity), stage.when, why(stage));
    }
    return lines;
}

}  // namespace sim::training
