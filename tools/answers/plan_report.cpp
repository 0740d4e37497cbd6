#include "tools/answers/plan_report.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "tools/command_line/workers.hpp"

#include <algorithm>
#include <iterator>

namespace sim::tools {

namespace {

search::PlanObjective objective_of(const PlanOptions& options) {
    return options.objective == "cost" ? search::PlanObjective::cost : search::PlanObjective::time;
}

search::PlanList list_of(const PlanOptions& options) {
    return options.list == "best" ? search::PlanList::best : search::PlanList::front;
}

search::Plan searched(const PlanOptions& options, const search::PlanQuestion& question, const PlanWatch& watch) {
    command_line::Workers workers(options.jobs);
    const auto top = static_cast<std::size_t>(options.top);
    const search::PlanList list = list_of(options);
    search::Plan plan = search::search_layouts(question, {.objective = objective_of(options),
                                                          .exhaustive = options.exhaustive,
                                                          .best = list == search::PlanList::best ? top : 0,
                                                          .for_each = workers.executor(),
                                                          .oracle = search::predictor(),
                                                          .on_progress = watch.on_progress,
                                                          .should_stop = watch.should_stop});
    if (!watch.should_stop || !watch.should_stop()) {
        std::vector<std::size_t> rows = search::listed_rows(plan, search::PlanList::front, top);
        const std::vector<std::size_t> others = search::listed_rows(plan, list, top);
        std::copy_if(others.begin(), others.end(), std::back_inserter(rows),
                     [&](std::size_t i) { return std::find(rows.begin(), rows.end(), i) == rows.end(); });
        search::add_robustness(question, rows, workers.executor(), plan);
    }
    return plan;
}

// Where nothing fits: what would.
void add_help(search::PlanReport& report) {
    if (report.plan.nearest.empty()) {
        const search::PlanSpace& space = report.question.space;
        for (const search::PlanPoint& point :
             search::points_of(space, report.question.model, report.question.machine)) {
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
        report.enough = search::enough_gpus(report.question, search::predictor());
    } catch (const ProgramError&) {
        // More GPUs have more layouts than a search goes through: the nearest ones have to do.
    }
}

}  // namespace

search::PlanReport plan_report(const PlanOptions& options, const PlanWatch& watch) {
    search::PlanReport report{
        .objective = objective_of(options), .list = list_of(options), .top = static_cast<std::size_t>(options.top)};
    report.question = question_of(options, report.told);
    try {
        report.plan = searched(options, report.question, watch);
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
    const bool is_stopped = watch.should_stop && watch.should_stop();
    if (report.plan.rows.empty() && !is_stopped) {
        add_help(report);
    }
    return report;
}

}  // namespace sim::tools
