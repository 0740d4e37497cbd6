#include "tools/answers/plan_options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/predict/step_range.hpp"
#include "libsim/split.hpp"
#include "libsim/training/layout_fields.hpp"
#include "tools/command_line/workers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace predict;
using namespace search;

namespace {

constexpr std::int64_t largest_limit = 1'000'000;
constexpr std::int64_t usual_tokens = 4 << 20;  // of a step

config::List numbers(std::vector<int>& axis, std::int64_t low, std::int64_t high) {
    return {low, high, [&axis](const std::vector<std::int64_t>& values) {
                axis.clear();
                for (const std::int64_t value : values) {
                    axis.push_back(static_cast<int>(value));
                }
            }};
}

// Those of a list; none where it was not said.
std::vector<std::string> names_in(const std::string& list) {
    return list.empty() ? std::vector<std::string>{} : split(list, ',');
}

// Throws UsageError for a name that is not one of `known`.
void check_name(const char* option, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw config::UsageError(fmt::format("{} must be of {}, not \"{}\"{}", option, fmt::join(known, ", "), name,
                                             did_you_mean(name, known)));
    }
}

std::vector<training::Recompute> recompute_of(const std::string& text) {
    using training::Recompute;
    std::vector<training::Recompute> found;
    for (const std::string& name : names_in(text)) {
        check_name("--recompute", name, {"none", "selective", "full"});
        found.push_back(name == "none"   ? training::Recompute::none
                        : name == "full" ? training::Recompute::full
                                         : training::Recompute::selective);
    }
    return found;
}

std::vector<KnownSchedule> schedule_of(const std::string& text) {
    std::vector<KnownSchedule> found;
    for (const std::string& name : names_in(text)) {
        check_name("--schedule", name, pipeline_schedule_names());
        found.emplace_back(pipeline_schedule(name));
    }
    return found;
}

// A power of two of sequences: the last one with no more than 4 M tokens.
int usual_batch(const training::Transformer& model) {
    int batch = 1;
    while (std::int64_t{batch} * 2 * model.sequence <= usual_tokens) {
        batch *= 2;
    }
    return batch;
}

void sort_once(std::vector<int>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<config::OptionRow> plan_rows(PlanOptions& options) {
    std::vector<config::OptionRow> rows = training_rows(options.training);
    const auto replace = [&](const char* name, config::OptionRow row) {
        *std::find_if(rows.begin(), rows.end(), [&](const config::OptionRow& r) { return r.name == name; }) =
            std::move(row);
    };
    replace("gpus", {"gpus", "LIST", "how many there are; several numbers are compared",
                     numbers(options.axes.gpus, 1, training::most_ranks)});
    for (const search::PlanAxis& axis : search::plan_axes()) {
        const auto& field = std::get<training::WholeField>(training::layout_field(axis.option).kind);
        replace(axis.option,
                {axis.option, "LIST", axis.help, numbers(options.axes.*axis.values, field.low, field.high)});
    }
    replace("recompute",
            {"recompute", "LIST", "of none, selective, full (none, full, and selective where it differs from these)",
             config::text(options.recompute)});
    replace("schedule", {"schedule", "LIST", "of the pipeline (1f1b, and interleaved for several chunks)",
                         config::text(options.schedule)});
    std::erase_if(rows, [](const config::OptionRow& row) { return row.name == "jitter" || row.name == "seed"; });
    rows.insert(rows.end(),
                {{"objective", "NAME", "what comes first: time or cost (time)",
                  config::choice(options.objective, {"time", "cost"})},
                 {"list", "NAME",
                  "layouts in the table: pareto, that no other one beats in time, memory and cost, or best, "
                  "by --objective alone (pareto)",
                  config::choice(options.list, {"pareto", "best"})},
                 {"top", "K", "rows of the table (10)", whole(options.top, 1, largest_limit)},
                 command_line::jobs_row(options.jobs),
                 {"exhaustive", "", "simulate all that may fit, also what is outdone by its bounds",
                  config::flag(options.exhaustive)}});
    return rows;
}

PlanQuestion question_of(const PlanOptions& options, std::vector<std::string>& told) {
    if (options.axes.gpus.empty()) {
        throw config::UsageError("--gpus is missing: how many there are; --gpus 64,128 compares");
    }
    const PricedMachine priced = priced_machine_of(options.training);
    PlanQuestion question{.model = model_of(options.training, told), .machine = priced.machine, .space = options.axes};
    sort_once(question.space.gpus);
    for (const search::PlanAxis& axis : search::plan_axes()) {
        sort_once(question.space.*axis.values);
    }
    question.space.recompute = recompute_of(options.recompute);
    question.space.schedule = schedule_of(options.schedule);
    if (options.training.has("sequence-parallel")) {
        question.space.sequence_parallel = options.training.layout.parallelism.sequence_parallel;
    }
    // Of what is derived for one layout, the axes are the search's; the arithmetic is the machine's.
    std::vector<std::string> of_one;
    question.space.rest = layout_of(options.training, question.model, question.machine, of_one);
    std::copy_if(of_one.begin(), of_one.end(), std::back_inserter(told), [](const std::string& line) {
        return line.starts_with("precision") || line.starts_with("flash-attention") || line.starts_with("framework");
    });
    if (const auto warning = warning_of_range(question.model, question.machine)) {
        told.push_back(*warning);
    }
    if (!options.training.has("global-batch")) {
        question.space.rest.batch.global = usual_batch(question.model);
        told.push_back(fmt::format("global batch {}: about 4 M tokens; --global-batch sets another",
                                   question.space.rest.batch.global));
    }
    if (!options.training.has("usd-per-hour")) {
        const double price = question.machine.gpu.usd_per_hour;
        told.push_back((price > 0 ? fmt::format("${:.2f} a GPU-hour: ", price) : "") + priced.price);
    }
    return question;
}

}  // namespace sim::tools
