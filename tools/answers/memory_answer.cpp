#include "tools/answers/memory_answer.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace config;

std::vector<config::OptionRow> memory_rows(MemoryOptions& options) {
    std::vector<config::OptionRow> rows = predict::training_rows(options.training);
    rows.push_back({"stage", "N", "shown over time (the fullest)", whole(options.stage, 0, 1'000'000)});
    return rows;
}

explain::MemoryReport memory_report(const MemoryOptions& options) {
    explain::MemoryReport report{.what = predict::training_case(options.training)};
    const predict::TrainingCase& what = report.what;
    if (options.stage >= what.layout.parallelism.pp) {
        throw config::UsageError(
            fmt::format("--stage must be one of 0 to {}, not {}", what.layout.parallelism.pp - 1, options.stage));
    }
    report.memory = training::memory_of(what.model, what.machine, what.layout);
    report.stage = options.stage >= 0 ? options.stage : report.memory.fullest().stage;
    report.steps = training::memory_over_time(what.model, what.machine, what.layout, report.stage);
    return report;
}

}  // namespace sim::tools
