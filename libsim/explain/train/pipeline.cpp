#include "libsim/explain/train/sections.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

// The excess of the slowest stage's compute time over the average, for which the others wait.
std::string uneven(const std::vector<Budget>& stages) {
    constexpr double worth_saying = 0.01;
    std::vector<double> busy;
    for (const Budget& stage : stages) {
        double sum = 0;
        for (const TimeCategory kind : {TimeCategory::compute, TimeCategory::recompute, TimeCategory::tensor,
                                        TimeCategory::context, TimeCategory::expert}) {
            sum += stage[static_cast<std::size_t>(kind)];
        }
        busy.push_back(sum);
    }
    const double average = std::accumulate(busy.begin(), busy.end(), 0.0) / static_cast<double>(stages.size());
    const auto slowest = std::max_element(busy.begin(), busy.end());
    if (!(average > 0) || *slowest < (1 + worth_saying) * average) {
        return "";
    }
    const auto equal = std::count_if(busy.begin(), busy.end(), [&](double x) { return x > 0.999 * *slowest; });
    const std::string more = percent_text(*slowest / average - 1);
    return equal == 1
               ? fmt::format("\n  stage {} is at work {} longer than the average stage, and the others wait for it",
                             slowest - busy.begin(), more)
               : fmt::format("\n  {} stages are at work {} longer than the average stage, and the others wait for them",
                             equal, more);
}

std::string warning_of(const training::Layout& layout) {
    return layout.parallelism.schedule->warning(layout.pipeline_shape());
}

}  // namespace

std::string pipeline_section(const TrainingCase& what, const Prediction& step) {
    const training::Layout& layout = what.layout;
    if (layout.parallelism.pp == 1) {
        return "";
    }
    std::string text = fmt::format(
        "\nPipeline: {}, {} stages{}, {}\n", layout.parallelism.schedule->name, layout.parallelism.pp,
        layout.parallelism.interleave > 1 ? fmt::format(" of {} chunks", layout.parallelism.interleave) : "",
        number_text(layout.micro_batches(), "micro-batch", "micro-batches"));
    text += fmt::format("  bubble {} of all ranks' time", percent_text(step.bubble_fraction));
    if (const auto bubble = layout.parallelism.schedule->bubble; bubble != nullptr && warning_of(layout).empty()) {
        const PipelineBubble closed = bubble(layout.pipeline_shape());
        text += fmt::format("; with even stages and free messages {} = {}", percent_text(closed.share), closed.formula);
    }
    if (const std::string warning = warning_of(layout); !warning.empty()) {
        text += "\n  " + warning;
    }
    text += uneven(step.stage_budgets);
    text += "\n  micro-batches in flight";
    const auto& stages = step.memory.stages;
    constexpr std::size_t most = 16;
    for (std::size_t i = 0; i < std::min(most, stages.size()); ++i) {
        text += fmt::format("{} {}", i == 0 ? ", from stage 0 on:" : ",", stages[i].in_flight);
    }
    return text + (stages.size() > most ? " …\n" : "\n");
}

}  // namespace sim::explain
