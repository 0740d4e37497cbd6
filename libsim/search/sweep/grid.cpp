#include "libsim/search/sweep/grid.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::search {

using namespace predict;

namespace {

constexpr std::size_t most_configurations = 10'000'000;

TrainingOptions options_of(const Change& configuration) {
    TrainingOptions options;
    const std::vector<config::OptionRow> rows = training_rows(options);
    for (const auto& [name, value] : configuration) {
        const config::OptionRow& row = config::row_named(rows, name);
        config::set_option(row, "--" + name, config::value_of_text(row, value));
    }
    return options;
}

std::vector<std::string> failure(const std::string& status, std::string why) {
    std::replace_if(
        why.begin(), why.end(), [](unsigned char c) { return c < ' '; }, ' ');
    std::vector<std::string> cells(result_columns().size());
    cells.front() = status;
    cells.back() = why;
    return cells;
}

}  // namespace

std::size_t SweepGrid::size() const {
    std::size_t all = 1;
    for (const SweepAxis& axis : axes) {
        if (axis.values.size() > most_configurations / all) {
            throw config::UsageError(fmt::format("the sweep has more than {} configurations", most_configurations));
        }
        all *= axis.values.size();
    }
    return all;
}

Change SweepGrid::configuration(std::size_t number) const {
    Change change;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        change.emplace_back(axis->option, axis->values[number % axis->values.size()]);
        number /= axis->values.size();
    }
    std::reverse(change.begin(), change.end());
    return change;
}

std::vector<std::string> result_columns() {
    return {"status", "all_gpus", "step_seconds", "step_seconds_low", "step_seconds_high", "tokens_per_second", "mfu",
            "hfu",    "bubble",   "memory",       "capacity",         "usd_per_step",      "sequences",         "why"};
}

std::vector<std::string> result_of(const Change& configuration, const CasePredictor& predictor) {
    try {
        const TrainingOptions options = options_of(configuration);
        const TrainingCase what = training_case(options);
        const Prediction step =
            predictor(what, {.jitter = options.jitter, .seed = static_cast<std::uint64_t>(options.seed)});
        const RunCost cost = cost_of(step, what.machine, what.layout, 1);
        const bool fits = step.memory.fits();
        const training::StageMemory& fullest = step.memory.fullest();
        return {fits ? "ok" : "too large",
                std::to_string(what.gpus()),
                fmt::format("{}", seconds(step.step)),
                fmt::format("{}", step.range.lowest),
                fmt::format("{}", step.range.highest),
                fmt::format("{}", step.tokens_per_second),
                fmt::format("{}", step.mfu),
                fmt::format("{}", step.hfu),
                fmt::format("{}", step.bubble_fraction),
                std::to_string(fullest.peak.total()),
                std::to_string(step.memory.capacity),
                cost.usd > 0 ? fmt::format("{}", cost.usd) : "",
                std::to_string(what.layout.batch.global),
                fits ? "" : fmt::format("stage {} does not fit into memory", fullest.stage)};
    } catch (const config::UsageError& error) {
        return failure("impossible", error.what());
    } catch (const ProgramError& error) {
        return failure("impossible", error.what());
    }
}

}  // namespace sim::search
