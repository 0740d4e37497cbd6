// `ndsim goodput` simulates weeks of training with failures, checkpoints and restarts within milliseconds, and reports
// the effective share of the time.
#include "libsim/config/errors.hpp"
#include "libsim/faults/checkpoint_intervals.hpp"
#include "libsim/faults/failure_rates.hpp"
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/goodput/report.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/report/amounts.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace report;
using namespace predict;
using namespace goodput;
using faults::Part;

namespace {

struct GoodputOptions {
    TrainingOptions training;
    std::string study;
    double step_seconds = 0;  // 0: predicted
    int gpus_per_node = 0;    // 0: the machine's
    int replicas = 0;         // 0: the layout's, or one
    double days = 0;          // 0: not given
    double steps = 0;
    double tokens = 0;
    std::array<double, faults::part_kinds> mtbf_hours{};  // 0: not given, or never
    int links = 0;                                        // 0: one for each GPU
    double shape = 1;
    double checkpoint_seconds = 0;  // 0: Daly's optimum
    double checkpoint_cost = 30;
    double checkpoint_write = 0;
    double detect_seconds;
    double restart_seconds = 300;
    double repair_hours = 0;
    double planned_hours = 0;
    double planned_seconds = 600;
    JobPolicy policy = JobPolicy::restart;
    int spares = 0;
    int runs = 1000;
    int jobs = 0;

    GoodputOptions();
};

constexpr double most_hours = 1e9;    // between failures
constexpr double most_seconds = 3e8;  // of any single duration: ten years
constexpr double most_days = 3650;
constexpr double usual_days = 30;
constexpr double hopeless = 20;        // a run is given up once it takes this many times its work
constexpr double most_failures = 1e8;  // over all runs

// The training step: predicted, or with a given length.
struct AskedStep {
    LongDuration length{0};
    int gpus = 0;
    int gpus_per_node = 1;  // of the machine's nodes that the job runs on
    int replicas = 1;
    double tokens = 0;  // 0: not known
    std::string model;
    std::string machine;
};

AskedStep step_of(const GoodputOptions& options, std::vector<std::string>& notes) {
    if (options.step_seconds > 0) {
        if (options.training.gpus == 0) {
            throw UsageError("--gpus is missing: --step-seconds needs the number of GPUs");
        }
        const training::Machine machine =
            machine_of_job(priced_machine_of(options.training).machine, options.training.gpus);
        return {.length = faults::long_duration(options.step_seconds),
                .gpus = options.training.gpus,
                .gpus_per_node = machine.gpus_per_node};
    }
    if (options.training.model.empty()) {
        throw UsageError("--model is missing: the training whose step is predicted; or --step-seconds, or --study");
    }
    const TrainingCase what = training_case(options.training);
    const Prediction step = predict_step(what.model, what.machine, what.layout, {.details = false});
    notes.insert(notes.end(), what.notes.begin(), what.notes.end());
    notes.push_back(fmt::format("a step takes {}: predicted, as ndsim train does{}", time_text(seconds(step.step)),
                                step.memory.fits() ? "" : "; it does not fit into memory"));
    return {.length = LongDuration{ceil_div(step.step.count(), 1000)},
            .gpus = what.gpus(),
            .gpus_per_node = what.machine.gpus_per_node,
            .replicas = what.layout.parallelism.dp,
            .tokens = what.tokens_of_step(),
            .model = what.model.name,
            .machine = what.machine.name};
}

void add_rates(const GoodputOptions& options, LongJob& job, std::vector<std::string>& notes) {
    const std::array<std::int64_t, faults::part_kinds> counts{job.gpus, job.nodes(),
                                                              options.links > 0 ? options.links : job.gpus};
    for (std::size_t i = 0; i < faults::part_kinds; ++i) {
        job.rates.of.at(i) = {.count = counts.at(i), .mean_hours = options.mtbf_hours.at(i), .shape = options.shape};
    }
    if (options.shape != 1) {
        notes.push_back(fmt::format("lifetimes are Weibull of shape {:g}, and all parts are new when the run begins",
                                    options.shape));
    }
    const bool said = std::any_of(options.mtbf_hours.begin(), options.mtbf_hours.end(), [](double h) { return h > 0; });
    if (!said) {
        job.rates[Part::gpu].mean_hours = faults::llama3_gpu_hours;
        notes.push_back(
            fmt::format("a failure in {:.0f} GPU-hours, of whatever cause: 419 in 54 days on 16,384 GPUs "
                        "(Llama 3, arXiv:2407.21783); --gpu-mtbf-hours sets another",
                        faults::llama3_gpu_hours));
    }
}

void add_length(const GoodputOptions& options, const AskedStep& step, LongJob& job, std::vector<std::string>& notes) {
    if (options.steps > 0 && options.tokens > 0) {
        throw UsageError("--steps and --tokens both set the length of a run; give one of them");
    }
    if (options.tokens > 0 && step.tokens == 0) {
        throw UsageError("--tokens needs --model, which gives the tokens of a step; --steps does not");
    }
    const double steps = options.tokens > 0 ? std::ceil(options.tokens / step.tokens) : options.steps;
    const double work = steps * faults::seconds_of(step.length);
    if (work > most_days * 86'400) {
        throw UsageError(fmt::format("{:.6g} steps are {} of work; at most {:.0f} days are simulated", steps,
                                     long_time_text(work), most_days));
    }
    job.work = faults::long_duration(work);
    job.span = faults::long_duration(options.days * 86'400);
    if (work > 0 && options.days == 0) {
        job.span = faults::long_duration(work * hopeless);
    }
    if (work == 0 && options.days == 0) {
        job.span = faults::long_duration(usual_days * 86'400);
        notes.push_back(fmt::format("{:.0f} days; --days, --steps or --tokens sets another length", usual_days));
    }
}

// Throws UsageError if the simulation would take minutes, or if the policy needs more replicas.
void check_amount(const GoodputOptions& options, const LongJob& job) {
    const double failures = job.rates.failures_per_hour() * faults::hours_of(job.span);
    if (failures * options.runs > most_failures) {
        throw UsageError(
            fmt::format("a run may have {:.3g} failures, and {} runs are asked for; at most {:.0e} failures "
                        "are simulated in all; --runs asks for fewer",
                        failures, options.runs, most_failures));
    }
    if (job.policy == JobPolicy::elastic && job.replicas == 1) {
        throw UsageError("--policy elastic needs --replicas: a single replica cannot go on without one of its nodes");
    }
}

void add_interval(const GoodputOptions& options, LongDuration step, LongJob& job, std::vector<std::string>& notes) {
    double interval = options.checkpoint_seconds;
    if (interval == 0) {
        const double between = seconds_between_failures(job);
        const double cost = faults::seconds_of(job.checkpoints.blocks);
        if (cost == 0 || std::isinf(between)) {
            throw UsageError(
                "--checkpoint-seconds is missing: if nothing fails, or checkpoints cost nothing, there is no "
                "best interval");
        }
        interval = faults::daly_interval(cost, between);
        notes.push_back(
            fmt::format("a checkpoint after each {} of work: Daly's optimum, in whole steps; "
                        "--checkpoint-seconds sets another",
                        long_time_text(interval)));
    }
    job.checkpoints.every = whole_steps(faults::long_duration(interval), step);
}

void tell_of_recovery(const GoodputOptions& options, std::vector<std::string>& notes) {
    const std::string beside =
        options.checkpoint_write > 0
            ? fmt::format(", and is written in the background for {:g} s", options.checkpoint_write)
            : "";
    notes.push_back(fmt::format("a checkpoint blocks the training for {:g} s{}", options.checkpoint_cost, beside));
    notes.push_back(fmt::format(
        "a failure is noticed after {:g} s, a restart takes {:g} s{}", options.detect_seconds, options.restart_seconds,
        options.repair_hours > 0 ? fmt::format(", the repair of a node {:g} h", options.repair_hours)
                                 : "; a failed node is replaced meanwhile"));
}

std::vector<OptionRow> job_rows(GoodputOptions& options) {
    return {
        {"study", "NAME|FILE", "published run: takes its options, and prints its figures next to the simulated ones",
         name_or_file(options.study, study_names())},
        {"step-seconds", "S", "duration of a step, instead of a predicted one", real(options.step_seconds, 1e-6, 1e6)},
        {"gpus-per-node", "N", "number of GPUs that one failure takes down together (the machine's)",
         whole(options.gpus_per_node, 1, 100'000)},
        {"replicas", "N", "number of model replicas, for --policy elastic (the layout's dp)",
         whole(options.replicas, 1, 1'000'000)},
        {"days", "X", "simulated days of wall time (30)", real(options.days, 1e-3, most_days)},
        {"steps", "X", "length of the run in steps, instead of --days", real(options.steps, 1, 1e12)},
        {"tokens", "X", "length of the run in tokens: 15e12", real(options.tokens, 1, 1e18)}};
}

std::vector<OptionRow> failure_rows(GoodputOptions& options) {
    return {{"gpu-mtbf-hours", "X", "mean time between failures of one GPU (Llama 3's, if no other is given)",
             real(options.mtbf_hours[0], 1e-3, most_hours)},
            {"node-mtbf-hours", "X", "mean time between failures of a node, apart from its GPUs (never)",
             real(options.mtbf_hours[1], 1e-3, most_hours)},
            {"link-mtbf-hours", "X", "mean time between failures of a link (never)",
             real(options.mtbf_hours[2], 1e-3, most_hours)},
            {"links", "N", "number of links of the job (one for each GPU)", whole(options.links, 1, 10'000'000)},
            {"weibull-shape", "X",
             "Weibull shape of lifetimes: below 1 mostly young parts fail, above 1 old ones (1: exponential)",
             real(options.shape, 0.1, 20)},
            {"planned-hours", "X", "time from one planned interruption to the next (none)",
             real(options.planned_hours, 1e-2, 1e6)},
            {"planned-seconds", "S", "duration of a planned interruption (600)",
             real(options.planned_seconds, 0, most_seconds)}};
}

std::vector<OptionRow> recovery_rows(GoodputOptions& options) {
    return {
        {"checkpoint-seconds", "S", "work between two checkpoints (Daly's optimum)",
         real(options.checkpoint_seconds, 1e-3, most_seconds)},
        {"checkpoint-cost-seconds", "S", "time for which a checkpoint blocks the training (30)",
         real(options.checkpoint_cost, 0, 1e6)},
        {"checkpoint-write-seconds", "S", "time to write the checkpoint afterwards, in the background (0: synchronous)",
         real(options.checkpoint_write, 0, 1e6)},
        {"detect-seconds", "S", "time until a failure is noticed (600: PyTorch's timeout of collectives)",
         real(options.detect_seconds, 0, 1e6)},
        {"restart-seconds", "S", "time from then until the first step (300)", real(options.restart_seconds, 0, 1e6)},
        {"repair-hours", "X", "time until a failed node is usable again (0: replaced during the restart)",
         real(options.repair_hours, 0, 1e5)},
        {"policy", "NAME", "reaction to a failure: abort, restart or elastic (restart)",
         enumerator(options.policy, job_policy_names())},
        {"spares", "N", "number of spare nodes (0)", whole(options.spares, 0, 1'000'000)},
        {"runs", "N", "number of simulated runs, each with failures of its own (1000)",
         whole(options.runs, 1, 100'000)},
        {"seed", "N", "seed of the failures (1)",
         Whole{0, INT64_MAX, [&options](std::int64_t n) { options.training.seed = n; }}}};
}

GoodputOptions::GoodputOptions() : detect_seconds(faults::collective_times_out_after) {}

std::vector<OptionRow> option_rows(GoodputOptions& options) {
    std::vector<OptionRow> rows = job_rows(options);
    for (const auto& more : {failure_rows(options), recovery_rows(options)}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    rows.push_back(keeping_result(command_line::jobs_row(options.jobs)));
    for (OptionRow& row : training_rows(options.training)) {
        if (row.name != "jitter" && row.name != "seed" && row.name != "usd-per-hour") {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

void take_study(const GoodputOptions& options, const std::vector<OptionRow>& rows,
                const std::function<bool(const std::string& name)>& is_given) {
    if (options.study.empty()) {
        return;
    }
    for (const StudyOption& option : read_study(options.study).options) {
        const OptionRow* const row = find_row(rows, option.option);
        if (row == nullptr || row->name == "study") {
            throw UsageError(fmt::format("{}: there is no option --{}", option.where, shortened(option.option)));
        }
        if (!is_given(row->name)) {
            set_option(*row, fmt::format("{}: {}", option.where, option.option), option.value);
        }
    }
}

GoodputQuestion question_of(const GoodputOptions& options) {
    GoodputQuestion question{.job = {},
                             .seed = static_cast<std::uint64_t>(options.training.seed),
                             .runs = static_cast<std::size_t>(options.runs),
                             .study = std::nullopt,
                             .notes = {}};
    const AskedStep step = step_of(options, question.notes);
    question.step = step.length;
    question.model = step.model;
    question.machine = step.machine;
    LongJob& job = question.job;
    job.gpus = step.gpus;
    job.gpus_per_node = options.gpus_per_node > 0 ? options.gpus_per_node : step.gpus_per_node;
    job.replicas = options.replicas > 0 ? options.replicas : step.replicas;
    if (job.replicas > job.gpus) {
        throw UsageError(fmt::format("--replicas must be at most the {} GPUs, not {}", job.gpus, job.replicas));
    }
    add_rates(options, job, question.notes);
    job.checkpoints.blocks = faults::long_duration(options.checkpoint_cost);
    job.checkpoints.beside = faults::long_duration(options.checkpoint_write);
    job.detection = faults::long_duration(options.detect_seconds);
    job.restart = faults::long_duration(options.restart_seconds);
    job.planned_every = faults::long_duration(options.planned_hours * 3600);
    job.planned_takes = faults::long_duration(options.planned_seconds);
    job.policy = options.policy;
    job.spares = options.spares;
    job.repair = faults::long_duration(options.repair_hours * 3600);
    add_length(options, step, job, question.notes);
    check_amount(options, job);
    add_interval(options, step.length, job, question.notes);
    tell_of_recovery(options, question.notes);
    if (!options.study.empty()) {
        question.study = read_study(options.study);
    }
    return question;
}

Answer goodput_answer(const GoodputOptions& options, const std::vector<OptionRow>& rows, const Asked& asked) {
    take_study(options, rows, [&](const std::string& name) { return asked.given.contains(name); });
    Workers workers(options.jobs);
    GoodputReport made = goodput_report(question_of(options), workers.executor());
    made.given = asked.given;
    const auto report = std::make_shared<const GoodputReport>(std::move(made));
    return {.forms = {.text = [report] { return text_of(*report); },
                      .json = [report] { return json_of(*report); },
                      .table = [report] { return table_of(*report); },
                      .picture = [report] { return picture_of(*report); }}};
}

Question goodput_command_question() {
    const auto options = std::make_shared<GoodputOptions>();
    const std::vector<OptionRow> rows = option_rows(*options);
    return {.rows = rows,
            .offer = {.table = "write a row for each run as CSV",
                      .picture = "draw a run over time, with its interruptions"},
            .answer = [=](const Asked& asked) { return goodput_answer(*options, rows, asked); }};
}

}  // namespace

const Command goodput_command{
    .name = "goodput",
    .headline = "simulate weeks of training with failures, checkpoints and restarts: how much is effective",
    .summary =
        "Predicts the effective share of weeks of training, with failures, checkpoints, restarts and spare nodes: it "
        "simulates a thousand runs, each with failures of its own. Reports where the remaining time goes, which "
        "checkpoint interval is best, the effect of another policy, and the uncertainty of each number. --study "
        "compares with a published run.",
    .examples = {"ndsim goodput --study llama3-405b",
                 "ndsim goodput --model llama3-70b --gpus 1024 --tp 8 --pp 4 --tokens 15e12",
                 "ndsim goodput --gpus 8192 --step-seconds 5 --days 60 --repair-hours 24 --spares 8 --policy elastic "
                 "--replicas 64",
                 "ndsim goodput --gpus 1024 --step-seconds 8 --node-mtbf-hours 3700 --svg goodput.svg"},
    .schemas = {goodput_schema, goodput_columns},
    .question = goodput_command_question};

}  // namespace sim::tools
