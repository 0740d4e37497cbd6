#include "tools/ndsim/explain/strategy.hpp"

#include "libsim/predict/machine_file.hpp"
#include "libsim/predict/training_options.hpp"
#include "tools/ndsim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::tools {

using namespace config;

namespace {

using predict::TrainingOptions;
using search::PlanSpace;

// A strategy's use of an axis: leaves it at 1, spreads over it, or takes the best size.
enum class AxisUse : std::uint8_t { one, several, any };

struct StrategyRow {
    const char* name;
    const char* title;
    AxisUse tp;
    AxisUse pp;
    AxisUse rest;  // context and expert parallel
};
// In the order of Strategy. "auto" takes one of the others; "given" cannot be chosen.
constexpr std::array strategy_rows{
    StrategyRow{"auto", "the answer of --which", AxisUse::any, AxisUse::any, AxisUse::any},
    StrategyRow{"data", "data parallelism", AxisUse::one, AxisUse::one, AxisUse::one},
    StrategyRow{"model", "tensor parallelism", AxisUse::several, AxisUse::one, AxisUse::one},
    StrategyRow{"pipeline", "pipeline parallelism", AxisUse::one, AxisUse::several, AxisUse::one},
    StrategyRow{"hybrid", "all parallelisms combined", AxisUse::any, AxisUse::any, AxisUse::any},
    StrategyRow{"given", "the layout that was given", AxisUse::any, AxisUse::any, AxisUse::any},
};

const StrategyRow& row_of(Strategy strategy) {
    return strategy_rows.at(static_cast<std::size_t>(strategy));
}

// The other options that a search chooses.
constexpr std::array chosen_names{"recompute", "schedule"};

// The divisors of `gpus` from 2 to `most`.
std::vector<int> divisors_from_two(int gpus, int most) {
    std::vector<int> list;
    for (int n = 2; n <= std::min(gpus, most); ++n) {
        if (gpus % n == 0) {
            list.push_back(n);
        }
    }
    return list;
}

void limit(std::vector<int>& values, AxisUse use, int gpus, int most) {
    if (!values.empty() || use == AxisUse::any) {
        return;
    }
    values = use == AxisUse::one ? std::vector<int>{1} : divisors_from_two(gpus, most);
}

// A given axis has only its given value; the other options hold for all layouts.
PlanOptions typed_axes(const TrainingOptions& options) {
    PlanOptions plan{.training = options};
    training::Layout given = options.layout;
    for (const search::PlanAxis& axis : search::plan_axes()) {
        if (options.has(axis.option)) {
            plan.axes.*axis.values = {axis.in(given)};
            plan.training.given.erase(axis.option);
        }
    }
    if (options.has("recompute")) {
        plan.recompute = name_of(options.layout.framework.recompute);
    }
    if (options.has("schedule")) {
        plan.schedule = options.layout.parallelism.schedule->name;
    }
    plan.training.layout.parallelism = {.split = options.layout.parallelism.split};
    plan.training.layout.parallelism.sequence_parallel = options.layout.parallelism.sequence_parallel;
    plan.training.layout.batch.micro = 1;
    return plan;
}

}  // namespace

const char* name_of(Strategy strategy) {
    return row_of(strategy).name;
}

const char* title_of(Strategy strategy) {
    return row_of(strategy).title;
}

std::vector<std::string> strategy_names() {
    std::vector<std::string> names;
    for (const StrategyRow& row : strategy_rows) {
        names.emplace_back(row.name);
    }
    names.pop_back();
    return names;
}

std::vector<std::string> layout_options_of(const TrainingOptions& options) {
    std::vector<std::string> names;
    for (const search::PlanAxis& axis : search::plan_axes()) {
        names.emplace_back(axis.option);
    }
    names.insert(names.end(), chosen_names.begin(), chosen_names.end());
    std::erase_if(names, [&](const std::string& name) { return !options.has(name); });
    return names;
}

FoundLayout best_layout(const ExplainOptions& options, const LayoutQuestion& question) {
    const StrategyRow& strategy = row_of(question.strategy);
    const TrainingOptions& training = options.train.training;
    const training::Machine machine = predict::read_machine(training.machine);
    PlanOptions plan = typed_axes(training);
    plan.axes.gpus = question.gpus;
    const int most = *std::max_element(question.gpus.begin(), question.gpus.end());
    limit(plan.axes.tp, strategy.tp, most, machine.gpus_per_node);
    limit(plan.axes.pp, strategy.pp, most, most);
    for (auto values : {&PlanSpace::cp, &PlanSpace::ep}) {
        limit(plan.axes.*values, strategy.rest, most, most);
    }
    if (plan.axes.zero.empty()) {
        plan.axes.zero = question.zero;
    }
    plan.objective = name_of(question.goal);  // goals are named like objectives
    FoundLayout found{.strategy = question.strategy};
    if (plan.axes.tp.empty() && strategy.tp == AxisUse::several) {
        found.why_not = "a node has one GPU";
        return found;
    }
    if (plan.axes.pp.empty() && strategy.pp == AxisUse::several) {
        found.why_not = "there is one GPU";
        return found;
    }
    const search::PlanReport report = plan_report(plan, {});
    found.looked_at = report.plan.counts.all;
    found.question = report.question;
    if (!report.plan.rows.empty()) {
        found.row = report.plan.rows.front();
    } else if (!report.plan.nearest.empty()) {
        found.miss = report.plan.nearest.front();
    } else {
        found.why_not = report.first_problems.empty() ? "no layout is possible" : report.first_problems.front();
    }
    return found;
}

void take_layout(ExplainOptions& options, const FoundLayout& found) {
    options.given = predict::given_for(options.given, case_of(found.question, found.point()));
    options.train = {};
    const std::vector<OptionRow> rows = train_rows(options.train);
    for (const auto& [name, value] : options.given) {
        set_option(row_named(rows, name), "--" + name, value);
    }
}

}  // namespace sim::tools
