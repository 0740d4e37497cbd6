#include "tools/ndsim/plan.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/planning/search/report.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/given_options.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/ndsim/plan_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

namespace sim::scenarios {

namespace {

const Executable executable{
    .name = "ndsim plan",
    .summary =
        "Which layout of a training is the fastest, or the cheapest: all legal ones are looked at, those that fit "
        "and may be good are simulated, and why the others are out is counted. Any axis can be a value or a list. "
        "Prints the flags with which Megatron-LM, torchtitan and nanotron run the best one.",
    .examples = {"ndsim plan --model llama3-70b --machine dgx-h100 --gpus 64 --global-batch 512",
                 "ndsim plan --model gpt3-175b --machine dgx-a100 --gpus 1024 --global-batch 1536 --tp 4,8 --zero 1",
                 "ndsim plan --model llama3-8b --gpus 16,32,64 --global-batch 256 --objective cost",
                 "ndsim plan --model mixtral-8x7b --gpus 64 --csv all.csv --svg map.svg --jobs 8"},
};

// A bar for each part of the search.
class Bars {
public:
    void at(std::size_t done, std::size_t all, const char* what) {
        if (!bar_ || all != all_ || what_ != what) {
            bar_ = std::make_unique<Progress>(all);
            all_ = all;
            what_ = what;
        }
        bar_->at(done, what);
    }

private:
    std::unique_ptr<Progress> bar_;
    std::size_t all_ = 0;
    std::string what_;
};

int jobs_of(const PlanCommandOptions& options) {
    return options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Plan searched(const PlanCommandOptions& options, const PlanQuestion& question, const ranks::StopSignal& stop) {
    Bars bars;
    return search(question, {.objective = options.objective == "cost" ? PlanObjective::cost : PlanObjective::time,
                             .exhaustive = options.exhaustive,
                             .jobs = jobs_of(options),
                             .oracle = predictor(),
                             .on_progress = [&](std::size_t done, std::size_t all,
                                                const char* what) { bars.at(done, all, what); },
                             .should_stop = [&] { return stop.received() != 0; }});
}

// Where nothing fits: what would.
void add_help(PlanReport& report) {
    if (report.plan.nearest.empty()) {
        const PlanSpace& space = report.question.space;
        for (const PlanPoint& point : points_of(space, report.question.model, report.question.machine)) {
            for (const model::LayoutProblem& problem :
                 problems_of(report.question.model, report.question.machine,
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
        // More GPUs have more layouts than a search goes through: the nearest ones have to do.
    }
}

void write(const PlanCommandOptions& options, const PlanReport& report) {
    print(options.json ? json_of(report) : options.csv == "-" ? csv_of(report) : text_of(report));
    if (!options.csv.empty() && options.csv != "-") {
        write_output(options.csv, [&](std::ostream& out) { out << csv_of(report); });
    }
    if (!options.svg.empty()) {
        write_output(options.svg, [&](std::ostream& out) { out << heatmap_svg(report); });
    }
}

void check_outputs(const PlanCommandOptions& options) {
    if (options.json && options.csv == "-") {
        throw UsageError("--json and --csv - both want standard output; give one of them a file");
    }
    for (const std::string& file : {options.csv, options.svg}) {
        if (!file.empty() && file != "-") {
            check_output(file);
        }
    }
}

}  // namespace

int run_plan(int argc, const char* const* argv) {
    PlanCommandOptions options;
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    check_outputs(options);
    PlanReport report{.objective = options.objective == "cost" ? PlanObjective::cost : PlanObjective::time,
                      .top = static_cast<std::size_t>(options.top)};
    report.question = question_of(options, report.told);
    const ranks::StopSignal stop;
    try {
        report.plan = searched(options, report.question, stop);
    } catch (const ProgramError& error) {
        throw UsageError(error.what());
    }
    if (report.plan.rows.empty() && stop.received() == 0) {
        add_help(report);
    }
    write(options, report);
    if (stop.received() != 0) {
        return stopped + stop.received();
    }
    return report.plan.rows.empty() ? complain(executable.name, "no layout fits", failed) : done;
}

}  // namespace sim::scenarios
