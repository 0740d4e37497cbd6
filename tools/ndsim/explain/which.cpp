#include "tools/ndsim/explain/which.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/training/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::tools {

namespace {

using explain::Figure;
using explain::FigureTable;
using explain::Section;
using explain::Unit;

struct Considered {
    training::Transformer model;
    training::Machine machine;
};

struct AlternativeRow {
    const char* title;
    Strategy strategy;
    std::vector<int> zero;
    bool one_gpu;
};
const std::array alternative_rows{
    AlternativeRow{"one GPU alone", Strategy::data, {}, true},
    AlternativeRow{"data parallelism", Strategy::data, {0}, false},
    AlternativeRow{"data parallelism, states sharded (ZeRO, FSDP)", Strategy::data, {1, 2, 3}, false},
    AlternativeRow{"tensor parallelism within a node", Strategy::model, {}, false},
    AlternativeRow{"pipeline parallelism", Strategy::pipeline, {}, false},
    AlternativeRow{"all of them together (3D)", Strategy::hybrid, {}, false},
};

// The usual parallelism for models with fewer than `below` parameters.
struct SizeRule {
    double below;
    const char* range;
    const char* advice;
};
constexpr std::array size_rules{
    SizeRule{10e9, "fewer than 10 B", "data parallelism; sharded (ZeRO, FSDP) if it does not fit otherwise"},
    SizeRule{100e9, "10 B to 100 B", "sharded data parallelism, or tensor and pipeline parallelism"},
    SizeRule{1e18, "more than 100 B", "data, tensor and pipeline parallelism combined"},
};

const SizeRule& rule_of(std::int64_t parameters) {
    return *std::find_if(size_rules.begin(), size_rules.end(),
                         [&](const SizeRule& rule) { return static_cast<double>(parameters) < rule.below; });
}

// Fewer GPUs are cheaper, so the search for the least cost tries N, N/2, N/4 …
std::vector<int> gpu_counts(int gpus, Goal goal) {
    std::vector<int> counts{gpus};
    while (goal == Goal::cost && counts.back() % 2 == 0) {
        counts.push_back(counts.back() / 2);
    }
    return counts;
}

std::string command_of(const ExplainOptions& options, const FoundLayout& found) {
    ExplainOptions other = options;
    take_layout(other, found);
    return train_line(other.given);
}

std::string axes_text(const search::PlanPoint& point) {
    std::string text;
    for (const auto& [name, size] : {std::pair{"dp", point.dp},
                                     {"tp", point.tp},
                                     {"pp", point.pp},
                                     {"cp", point.cp},
                                     {"ep", point.ep},
                                     {"micro-batch", point.micro_batch},
                                     {"zero", int{point.zero}}}) {
        if (size > (name == std::string_view("zero") ? 0 : 1)) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, size);
        }
    }
    if (point.recompute != training::Recompute::none) {
        text += fmt::format("{}recompute {}", text.empty() ? "" : ", ", recomputation_text(point));
    }
    return text.empty() ? "no parallelism" : text;
}

std::string gb(std::int64_t bytes) {
    return report::bytes_text(static_cast<double>(bytes));
}

std::string verdict_of(const FoundLayout& found, std::int64_t capacity) {
    return found.row    ? "yes"
           : found.miss ? fmt::format("no: it needs at least {} of {}", gb(found.miss->memory), gb(capacity))
                        : "no: " + found.why_not;
}

FigureTable alternatives_table(const std::vector<Alternative>& alternatives, const Considered& what) {
    const bool priced = what.machine.gpu.usd_per_hour > 0;
    FigureTable table{
        .key = "alternatives",
        .title = "The best layout of each alternative, simulated",
        .columns = {{"what", "", Unit::words},
                    {"gpus", "GPUs", Unit::count},
                    {"layout", "layout", Unit::words},
                    {"step", "step", Unit::seconds, "simulated"},
                    {"model_flops_per_second_per_gpu", "FLOPs per GPU", Unit::flops_per_second,
                     "FLOPs of the model / (step x GPUs)"},
                    {"memory", "memory", Unit::bytes, "memory model, of the fullest GPU"},
                    {"cost", priced ? "cost per step" : "GPU-hours", priced ? Unit::usd : Unit::count,
                     priced ? "GPU-hours x price of the hardware file, or --usd-per-hour" : "GPUs x step"},
                    {"fits", "fits", Unit::words},
                    {"command", "command", Unit::command}}};
    for (const Alternative& one : alternatives) {
        const FoundLayout& found = one.found;
        explain::FigureRow row{
            {one.title, {}, {}, {}, {}, {}, {}, verdict_of(one.found, what.machine.gpu.memory_bytes), {}}};
        if (found.exists()) {
            row.cells[1] = std::int64_t{found.point().gpus};
            row.cells[2] = axes_text(found.point());
            row.cells[5] = found.row ? found.row->memory : found.miss->memory;
            row.cells[8] = one.command;
        }
        if (found.row) {
            row.cells[3] = seconds(found.row->step);
            row.cells[4] = found.row->flops_per_second;
            row.cells[6] = found.row->cost;
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

// The questions of the decision tree, with the answers for this training.
FigureTable tree_table(const Considered& what, int gpus, const FoundLayout& on_one) {
    const training::Machine& machine = what.machine;
    const std::int64_t parameters = training::parameters_of(what.model).total();
    const SizeRule& rule = rule_of(parameters);
    const std::int64_t capacity = machine.gpu.memory_bytes;
    FigureTable table{.key = "tree",
                      .title = "The questions that decide",
                      .columns = {{"question", "question", Unit::words},
                                  {"answer", "answer", Unit::words},
                                  {"therefore", "in favour of", Unit::words}}};
    table.rows = std::vector<explain::FigureRow>{
        {{"does it fit on one GPU?",
          on_one.row ? fmt::format("yes: it needs {} of {}", gb(on_one.row->memory), gb(capacity))
                     : verdict_of(on_one, capacity),
          on_one.row ? "one GPU, or data parallelism for speed" : "sharding the states, or splitting the model"}},
        {{"how many parameters does it have?",
          fmt::format("{}: {}", report::count_text(static_cast<double>(parameters)), rule.range), rule.advice}},
        {{"how many nodes are there?", fmt::format("{}", ceil_div(gpus, machine.gpus_per_node)),
          gpus <= machine.gpus_per_node ? "anything: every link is within the node"
                                        : "tensor parallelism within a node, the others across nodes"}}};
    if (machine.scale_out > 0) {
        table.rows.push_back({{"how fast are the links?",
                               fmt::format("{} within a node, {} between nodes", report::rate_text(machine.scale_up),
                                           report::rate_text(machine.scale_out)),
                               "the most communication over the fastest links: tensor, then pipeline, then data"}});
    }
    return table;
}

std::vector<Figure> choice_figures(const Considered& what, const Alternative* best, Goal goal) {
    std::vector<Figure> figures{
        {"goal", "goal", std::string(name_of(goal)), Unit::words, "--goal"},
        {"capacity", "GPU memory", what.machine.gpu.memory_bytes, Unit::bytes, "hardware file"}};
    if (best != nullptr) {
        const search::PlanRow& row = *best->found.row;
        figures.insert(figures.end(),
                       {{"answer", "answer", std::string(best->title), Unit::words, "the best of those that fit"},
                        {"layout", "layout", axes_text(row.point), Unit::words, "of the answer"},
                        {"gpus", "GPUs", std::int64_t{row.point.gpus}, Unit::count, "of the answer"},
                        {"step", "step", seconds(row.step), Unit::seconds, "simulated"},
                        {"memory", "memory", row.memory, Unit::bytes, "memory model, of the fullest GPU"},
                        {"command", "command", best->command, Unit::command, "gives this step"}});
    }
    return figures;
}

}  // namespace

std::vector<Alternative> alternatives_of(const ExplainOptions& options) {
    std::vector<Alternative> alternatives;
    const int gpus = options.train.training.gpus;
    for (const AlternativeRow& row : alternative_rows) {
        const LayoutQuestion question{.strategy = row.strategy,
                                      .gpus = row.one_gpu ? std::vector<int>{1} : gpu_counts(gpus, options.goal),
                                      .zero = row.zero,
                                      .goal = options.goal};
        Alternative alternative{.title = row.title, .found = best_layout(options, question)};
        if (alternative.found.exists()) {
            alternative.command = command_of(options, alternative.found);
        }
        alternatives.push_back(std::move(alternative));
    }
    return alternatives;
}

const Alternative* best_of(const std::vector<Alternative>& alternatives, Goal goal) {
    const auto measure = [&](const search::PlanRow& row) {
        return goal == Goal::time     ? seconds(row.step)
               : goal == Goal::memory ? static_cast<double>(row.memory)
                                      : row.cost;
    };
    const Alternative* best = nullptr;
    for (const Alternative& one : alternatives) {
        if (one.found.row && (best == nullptr || measure(*one.found.row) < measure(*best->found.row))) {
            best = &one;
        }
    }
    return best;
}

Answered answer_which(const ExplainOptions& given) {
    std::vector<std::string> notes;
    const ExplainOptions options = completed(given, notes);
    const std::vector<Alternative> alternatives = alternatives_of(options);
    const Alternative* const best = best_of(alternatives, options.goal);
    std::vector<std::string> derived;
    const Considered what{.model = predict::model_of(options.train.training, derived),
                          .machine = predict::priced_machine_of(options.train.training).machine};
    const int gpus = options.train.training.gpus;
    Section section{.kind = explain::SectionKind::choice};
    section.said = {
        best != nullptr
            ? explain::Sentence{"For the least {goal}, take {answer}: {layout}. A step takes {step}, and "
                                "the fullest GPU needs {memory} of {capacity}."}
            : explain::Sentence{"Nothing fits: every layout needs more than the {capacity} of a GPU. The model "
                                "needs more GPUs (ndsim plan tells how many) or must be smaller."}};
    section.figures = choice_figures(what, best, options.goal);
    section.tables = {tree_table(what, gpus, alternatives.front().found), alternatives_table(alternatives, what)};
    Section assumed{.kind = explain::SectionKind::assumptions};
    assumed.tables = {{.key = "chosen",
                       .title = "Options that were not given, and how they were chosen",
                       .columns = {{"what", "what", Unit::words}}}};
    for (const std::string& line : notes) {
        assumed.tables.front().rows.push_back({{line}});
    }
    Answered answered{.fits = best != nullptr};
    answered.explanation = {.title = fmt::format("Which parallelism for {} on {} x {} ({})", what.model.name, gpus,
                                                 what.machine.gpu.name, what.machine.name),
                            .of = best != nullptr ? best->command : train_line(options.given),
                            .level = options.level,
                            .sections = {section}};
    if (!notes.empty()) {
        answered.explanation.sections.push_back(assumed);
    }
    return answered;
}

}  // namespace sim::tools
