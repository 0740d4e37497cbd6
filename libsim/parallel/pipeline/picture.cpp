#include "libsim/parallel/pipeline/picture.hpp"

#include "libsim/parallel/pipeline/run_free.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sim::parallel {

namespace {

// One unit of time is one picosecond here.
constexpr PipelineCosts unit_costs{
    .forward = Duration{1}, .backward = Duration{2}, .backward_input = Duration{1}, .backward_weight = Duration{1}};

// a, b, … z, then numbers.
std::string name_of_chunk(int chunk) {
    return chunk < 26 ? std::string(1, static_cast<char>('a' + chunk)) : fmt::format("/{}", chunk);
}

std::string name_of(const PipelineShape& shape, const PipelineStep& step) {
    const char letter = step.work == PipelineWork::forward           ? 'F'
                        : step.work == PipelineWork::backward_weight ? 'W'
                                                                     : 'B';
    return fmt::format("{}{}{}", letter, step.micro_batch, shape.chunks == 1 ? "" : name_of_chunk(step.chunk));
}

// Each unit of time is `width` characters wide.
std::string row(const PipelineShape& shape, const std::vector<PipelineStep>& steps, const std::vector<Duration>& ends,
                std::int64_t end, std::size_t width) {
    std::string text;
    for (std::int64_t unit = 0; unit < end; ++unit) {
        text += fmt::format("{:<{}}", ".", width);
    }
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const Duration takes = unit_costs.of(steps[number].work);
        const std::size_t begin = static_cast<std::size_t>((ends[number] - takes).count()) * width;
        const std::size_t length = static_cast<std::size_t>(takes.count()) * width;
        text.replace(begin, length, fmt::format("{:-<{}} ", name_of(shape, steps[number]), length - 1));
    }
    return text;
}

std::size_t widest_name(const PipelineShape& shape) {
    return name_of(shape, {PipelineWork::forward, shape.micro_batches - 1, shape.chunks - 1}).size();
}

bool splits_backward(const PipelineSteps& steps) {
    return std::ranges::any_of(steps[0],
                               [](const PipelineStep& step) { return step.work == PipelineWork::backward_weight; });
}

// One line: the name, then a number for each stage.
std::string in_flight(const PipelineSteps& steps, PipelineWork freed_by, std::string name) {
    for (const std::vector<PipelineStep>& mine : steps) {
        name += fmt::format(" {}", most_in_flight(mine, freed_by));
    }
    return name + "\n";
}

}  // namespace

std::string list_schedule(const PipelineShape& shape, const PipelineSteps& steps) {
    std::string text;
    for (std::size_t stage = 0; stage < steps.size(); ++stage) {
        text += fmt::format("stage {}:", stage);
        for (const PipelineStep& step : steps[stage]) {
            text += fmt::format("{}{}", step.pair == InPair::second ? "&" : " ", name_of(shape, step));
        }
        text += "\n";
    }
    return text;
}

std::string show_schedule(const PipelineShape& shape, const PipelineSteps& steps, int columns) {
    const FreeRun run = run_free(shape, steps, unit_costs);
    const std::int64_t end = run.end.count();
    const std::size_t width = std::max<std::size_t>(widest_name(shape), 2) + 1;
    const std::size_t margin = fmt::format("stage {}  ", shape.stages - 1).size();
    const std::size_t room = static_cast<std::size_t>(std::max(columns, 0));
    const std::int64_t fit =
        std::max<std::int64_t>(room > margin ? static_cast<std::int64_t>((room - margin) / width) : 0, 1);
    const auto units = static_cast<std::size_t>(ceil_div(end, ceil_div(end, fit)));  // blocks of about equal length

    std::vector<std::string> rows;
    for (std::size_t stage = 0; stage < steps.size(); ++stage) {
        rows.push_back(row(shape, steps[stage], run.ends[stage], end, width));
    }
    std::string text;
    for (std::size_t from = 0; from < static_cast<std::size_t>(end); from += units) {
        for (std::size_t stage = 0; stage < rows.size(); ++stage) {
            std::string part = rows[stage].substr(from * width, units * width);
            part.erase(part.find_last_not_of(' ') + 1);
            text += fmt::format("{:<{}}{}\n", fmt::format("stage {}", stage), margin, part);
        }
        text += "\n";
    }
    text += in_flight(steps, PipelineWork::backward_input, "in flight at most:");
    if (splits_backward(steps)) {
        text += in_flight(steps, PipelineWork::backward_weight, "until the weights' gradient:");
    }
    Duration idle{0};
    for (const FreeRun::Stage& stage : run.stages) {
        idle += stage.idle;
    }
    return text + fmt::format("bubble: {} of {} x {} units of time = {:.1f} %\n", idle.count(), shape.stages, end,
                              100 * run.bubble());
}

}  // namespace sim::parallel
