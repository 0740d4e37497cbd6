// `ndsim plan` finds the fastest or cheapest of all legal layouts of a training on a number of GPUs.
// Exit code 1 means that no layout fits; the nearest ones are named.
#include "tools/ndsim/plan.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/predict/step_range.hpp"
#include "libsim/split.hpp"
#include "libsim/training/layout_fields.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
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

// The names in a list; none if it is empty.
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

// The largest power of two of sequences that has at most 4 M tokens.
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

// How the layouts are searched and listed.
struct Ranking {
    std::string by;
    PlanObjective objective;
    PlanList list;
};

// Throws UsageError if the options contradict each other.
Ranking ranking_of(const PlanOptions& options) {
    const std::string objective = options.objective.empty() ? "time" : options.objective;
    if (options.by.empty()) {
        // Each objective is also a key.
        return {objective, plan_key(objective).objective, options.list == "best" ? PlanList::best : PlanList::front};
    }
    const PlanKey& key = plan_key(options.by);
    if (options.list == "pareto") {
        throw UsageError(fmt::format(
            "--by {} lists the best by one quantity, and --list pareto does not; leave one out", options.by));
    }
    if (!options.objective.empty() && options.objective != name_of(key.objective)) {
        throw UsageError(fmt::format("--by {} minimises {}, and --objective {} does not; leave one out", options.by,
                                     name_of(key.objective), options.objective));
    }
    return {options.by, key.objective, PlanList::best};
}

std::vector<std::string> key_names() {
    std::vector<std::string> names;
    for (const PlanKey& key : plan_keys()) {
        names.emplace_back(key.name);
    }
    return names;
}

Plan searched(const PlanOptions& options, const Ranking& ranking, const PlanQuestion& question,
              const PlanWatch& watch) {
    Workers workers(options.jobs);
    const auto top = static_cast<std::size_t>(options.top);
    Plan plan = search_layouts(question, {.objective = ranking.objective,
                                          .exhaustive = options.exhaustive,
                                          .best = ranking.list == PlanList::best ? top : 0,
                                          .for_each = workers.executor(),
                                          .oracle = predictor(),
                                          .on_progress = watch.on_progress,
                                          .should_stop = watch.should_stop});
    if (!watch.should_stop || !watch.should_stop()) {
        std::vector<std::size_t> rows = listed_rows(plan, PlanList::front, top);
        const std::vector<std::size_t> others = listed_rows(plan, ranking.list, top);
        std::copy_if(others.begin(), others.end(), std::back_inserter(rows),
                     [&](std::size_t i) { return std::find(rows.begin(), rows.end(), i) == rows.end(); });
        add_robustness(question, rows, workers.executor(), plan);
    }
    return plan;
}

// If no layout fits, adds what would: enough GPUs, or the first problems if there is no legal layout.
void add_help(PlanReport& report) {
    if (report.plan.nearest.empty()) {
        const PlanSpace& space = report.question.space;
        for (const PlanPoint& point : points_of(space, report.question.model, report.question.machine)) {
            for (const training::LayoutProblem& problem :
                 training::problems_of(report.question.model, report.question.machine,
                                       layout_of(space, report.question.model, point), point.gpus)) {
                report.first_problems.push_back(problem.what);
            }
            return;
        }
        return;
    }
    try {
        report.enough = enough_gpus(report.question, predictor());
    } catch (const ProgramError&) {
        // More GPUs have more layouts than a search accepts; the report then has only the nearest layouts.
    }
}

Answer plan_answer(const PlanOptions& options, const Asked& asked) {
    const Listener& listener = asked.listener;
    PlanReport made = plan_report(options, {.on_progress =
                                                [&](std::size_t done, std::size_t all, const char* what) {
                                                    if (listener.progress) {
                                                        listener.progress(done, all, what);
                                                    }
                                                },
                                            .should_stop = listener.should_stop});
    made.given = asked.given;
    const auto report = std::make_shared<const PlanReport>(std::move(made));
    Answer answer{.forms = {.text = [report] { return text_of(*report); },
                            .json = [report] { return json_of(*report); },
                            .table = [report] { return table_of(*report); },
                            .picture = [report] { return heatmap_svg(*report); },
                            .plot = [report] { return scatter_svg(*report); }}};
    if (report->plan.rows.empty()) {
        answer.complaint = "no layout fits";
        answer.exit_code = failed;
    }
    return answer;
}

Question plan_question() {
    const auto options = std::make_shared<PlanOptions>();
    return {.rows = plan_rows(*options),
            .offer = {.table = "write all simulated layouts as CSV",
                      .picture = "draw the shortest step of each tp and pp as a heat map",
                      .plot = "plot the step time of all simulated layouts over their memory"},
            .answer = [options](const Asked& asked) { return plan_answer(*options, asked); },
            .stops_early = true};
}

}  // namespace

std::vector<OptionRow> plan_rows(PlanOptions& options) {
    std::vector<OptionRow> rows = training_rows(options.training);
    const auto replace = [&](const char* name, OptionRow row) {
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& r) { return r.name == name; });
        row.group = at->group;
        *at = std::move(row);
    };
    replace("gpus", {"gpus", "LIST", "number of GPUs; several numbers are compared",
                     numbers(options.axes.gpus, 1, training::most_ranks)});
    for (const PlanAxis& axis : plan_axes()) {
        const auto& field = std::get<training::WholeField>(training::layout_field(axis.option).kind);
        replace(axis.option,
                {axis.option, "LIST", axis.help, numbers(options.axes.*axis.values, field.low, field.high)});
    }
    replace("recompute", {"recompute", "LIST",
                          "recomputation: none, selective, full (none, full, and selective where it differs from both)",
                          text(options.recompute)});
    replace("schedule", {"schedule", "LIST", "pipeline schedules (1f1b, and interleaved for several chunks)",
                         text(options.schedule)});
    std::erase_if(rows, [](const OptionRow& row) { return row.name == "jitter" || row.name == "seed"; });
    const std::vector<OptionRow> own = in_group(
        "Search", {{"by", "NAME",
                    fmt::format("list the best by one quantity, whatever the others: {}", fmt::join(key_names(), ", ")),
                    choice(options.by, key_names())},
                   {"objective", "NAME", "quantity to minimise: time, cost or memory (time, or that of --by)",
                    choice(options.objective, {"time", "cost", "memory"})},
                   {"list", "NAME",
                    "pareto: layouts that no other beats in time, memory and cost; best: by --objective alone (pareto)",
                    choice(options.list, {"pareto", "best"})},
                   {"top", "K", "number of rows in the table (10)", whole(options.top, 1, largest_limit)},
                   command_line::jobs_row(options.jobs),
                   {"exhaustive", "", "simulate every layout that may fit (no pruning)", flag(options.exhaustive)}});
    rows.insert(rows.end(), own.begin(), own.end());
    return rows;
}

PlanQuestion question_of(const PlanOptions& options, std::vector<std::string>& notes) {
    if (options.axes.gpus.empty()) {
        throw UsageError("--gpus is missing: the number of GPUs; --gpus 64,128 compares two numbers");
    }
    const PricedMachine priced = priced_machine_of(options.training);
    PlanQuestion question{.model = model_of(options.training, notes), .machine = priced.machine, .space = options.axes};
    sort_once(question.space.gpus);
    for (const PlanAxis& axis : plan_axes()) {
        sort_once(question.space.*axis.values);
    }
    question.space.recompute = recompute_of(options.recompute);
    question.space.schedule = schedule_of(options.schedule);
    if (options.training.has("sequence-parallel")) {
        question.space.sequence_parallel = options.training.layout.parallelism.sequence_parallel;
    }
    // Keeps only the derived options that hold for all layouts; the search sets the axes itself.
    std::vector<std::string> of_one;
    question.space.rest = layout_of(options.training, question.model, question.machine, of_one);
    std::copy_if(of_one.begin(), of_one.end(), std::back_inserter(notes), [](const std::string& line) {
        return line.starts_with("precision") || line.starts_with("flash-attention") || line.starts_with("framework");
    });
    if (const auto warning = warning_of_range(question.model, question.machine)) {
        notes.push_back(*warning);
    }
    if (!options.training.has("global-batch")) {
        question.space.rest.batch.global = usual_batch(question.model);
        notes.push_back(fmt::format("global batch {}: about 4 M tokens; --global-batch sets another",
                                    question.space.rest.batch.global));
    }
    if (!options.training.has("usd-per-hour")) {
        const double price = question.machine.gpu.usd_per_hour;
        notes.push_back((price > 0 ? fmt::format("${:.2f} a GPU-hour: ", price) : "") + priced.price);
    }
    return question;
}

PlanReport plan_report(const PlanOptions& options, const PlanWatch& watch) {
    const Ranking ranking = ranking_of(options);
    PlanReport report{.objective = ranking.objective,
                      .list = ranking.list,
                      .by = ranking.by,
                      .top = static_cast<std::size_t>(options.top)};
    report.question = question_of(options, report.notes);
    try {
        report.plan = searched(options, ranking, report.question, watch);
    } catch (const ProgramError& error) {
        throw UsageError(error.what());
    }
    const bool is_stopped = watch.should_stop && watch.should_stop();
    if (report.plan.rows.empty() && !is_stopped) {
        add_help(report);
    }
    return report;
}

const Command plan_command{
    .name = "plan",
    .headline = "find the fastest or cheapest layout that fits, and the flags to launch it with",
    .summary =
        "Finds the fastest or cheapest layout of a training: considers all legal layouts, simulates those that fit and "
        "may be good, and counts the others by the reason they are out. Any axis can be a value or a list. Prints the "
        "flags with which Megatron-LM and torchtitan run the best layout.",
    .examples = {"ndsim plan --model llama3-70b --machine dgx-h100 --gpus 64 --global-batch 512",
                 "ndsim plan --model gpt3-175b --machine dgx-a100 --gpus 1024 --global-batch 1536 --tp 4,8 --zero 1",
                 "ndsim plan --model llama3-8b --gpus 16,32,64 --global-batch 256 --objective cost",
                 "ndsim plan --model mixtral-8x7b --gpus 64 --csv all.csv --svg map.svg --jobs 8"},
    .schemas = {plan_schema, plan_columns},
    .question = plan_question};

}  // namespace sim::tools
