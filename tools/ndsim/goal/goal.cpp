// `ndsim goal FILE` runs a GOAL schedule under LogGP, as LogGOPSim does (libsim/interop/goal/run.hpp), or on one of
// ndsim's networks.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/error.hpp"
#include "libsim/interop/goal/explain.hpp"
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/text.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/goal/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace report;
using namespace report::keys;

namespace {

struct GoalOptions {
    std::string file;
    LogGP costs = goal::loggopsim_costs();
    goal::Charge charge = goal::Charge::arrival;
    GoalOnNetwork on_network;

    bool is_loggp() const { return !on_network.network.given(); }
};

std::vector<OptionRow> option_rows(GoalOptions& options) {
    std::vector<OptionRow> rows{
        as_argument({"FILE", "", "the schedule, in GOAL's text format", config::file(options.file)}),
        loggp_row(options.costs),
        {"charge", "WHEN",
         "when a message charges its receiver: on arrival, as in LogGOPSim, or on match, when it is received (arrival)",
         enumerator(options.charge, {"arrival", "match"})}};
    const std::vector<OptionRow> on_network = option_rows(options.on_network);
    rows.insert(rows.end(), on_network.begin(), on_network.end());
    return rows;
}

const char* name_of(goal::Charge charge) {
    return charge == goal::Charge::arrival ? "arrival" : "match";
}

constexpr const char* finish_of_rank_means =
    "Time at which the rank finishes, in the unit of --loggp (ns by default); in ps with --profile or --topology.";

const report::Record<goal::GoalOutcome>& goal_record() {
    using Outcome = goal::GoalOutcome;
    static const report::Record<Outcome> record(
        "A GOAL schedule under LogGP.", {values_of<Outcome>("rank_finish", "One number for each rank, in order.",
                                                            "integer", finish_of_rank_means, &Outcome::rank_finish)});
    return record;
}

struct FinishedRank {
    std::size_t rank;
    std::int64_t finish;
};

std::vector<FinishedRank> finished_ranks(const goal::GoalOutcome& outcome) {
    std::vector<FinishedRank> ranks;
    for (const std::int64_t finish : outcome.rank_finish) {
        ranks.push_back({ranks.size(), finish});
    }
    return ranks;
}

const report::Record<FinishedRank>& finished_rank_record() {
    static const report::Record<FinishedRank> record(
        "A rank.", {whole<FinishedRank>("rank", "Number of the rank, from 0.", &FinishedRank::rank),
                    whole<FinishedRank>("finish", finish_of_rank_means, &FinishedRank::finish)});
    return record;
}

std::string counted(const goal::GoalSchedule& schedule) {
    std::int64_t sends = 0;
    std::int64_t receives = 0;
    double bytes = 0;
    double calculated = 0;
    for (const goal::GoalOp& op : schedule.ops) {
        if (op.kind == goal::GoalOpKind::send) {
            ++sends;
            bytes += static_cast<double>(op.size);
        } else if (op.kind == goal::GoalOpKind::receive) {
            ++receives;
        } else {
            calculated += static_cast<double>(op.size);
        }
    }
    return fmt::format("ranks: {}, messages: {} of {:.15g} bytes in all, receives: {}, calcs: {} of {:.15g} in all\n",
                       schedule.ranks.size(), sends, bytes, receives,
                       static_cast<std::int64_t>(schedule.ops.size()) - sends - receives, calculated);
}

std::string costs_of(const GoalOptions& options) {
    if (!options.is_loggp()) {
        return fmt::format("network {}, times in picoseconds\n", name_of(options.on_network.network));
    }
    return fmt::format("LogGP {}, charged on {}\n", describe(options.costs), name_of(options.charge));
}

// All ranks, or the last to finish if there are very many.
std::string text_of(const GoalOptions& options, const goal::GoalSchedule& schedule, const goal::GoalOutcome& outcome) {
    constexpr std::size_t most_rows = 64;
    std::vector<FinishedRank> ranks = finished_ranks(outcome);
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const FinishedRank& a, const FinishedRank& b) { return a.finish > b.finish; });
    const FinishedRank last = ranks.front();
    std::string text = costs_of(options) + counted(schedule);
    if (ranks.size() > most_rows) {
        text += fmt::format("the {} ranks that finish last; --json has all\n", most_rows);
        ranks.resize(most_rows);
    } else {
        ranks = finished_ranks(outcome);
    }
    TextTable table{.columns = {{"rank"}, {"finish"}}};
    for (const FinishedRank& rank : ranks) {
        table.rows.push_back({{fmt::format("{}", rank.rank), fmt::format("{}", rank.finish)}});
    }
    return text + "\n" + text_of(table) + fmt::format("\nlast: rank {} at {}\n", last.rank, last.finish);
}

constexpr int most_cpus_drawn = 255;  // the number of streams

Timeline empty_timeline(const GoalOptions& options, const goal::GoalSchedule& schedule) {
    Timeline timeline{.title = fmt::format("GOAL schedule {}", options.file),
                      .ranks = static_cast<int>(schedule.ranks.size())};
    if (options.is_loggp()) {
        timeline.facts = {{"LogGP", describe(options.costs)},
                          {"charged on", name_of(options.charge)},
                          {"1 ps", "one unit of the schedule's time"}};
    } else {
        timeline.facts = {{"network", name_of(options.on_network.network)}};
    }
    for (int cpu = 1; cpu < schedule.cpus; ++cpu) {
        timeline.stream_names.push_back(fmt::format("cpu {}", cpu));
    }
    return timeline;
}

void check(const GoalOptions& options) {
    const GoalOptions unsaid;
    if (!options.is_loggp() && (describe(options.costs) != describe(unsaid.costs) || options.charge != unsaid.charge)) {
        throw UsageError(
            "--loggp and --charge are for LogGP; with --profile or --topology the network defines the costs");
    }
    const goal::GoalUnits& units = options.on_network.units;
    if (options.is_loggp() && (units.sizes != Measure::bytes || units.time != Duration{1})) {
        throw UsageError("--unit and --sizes need a network; add --profile or --topology");
    }
}

goal::GoalOutcome run_under_loggp(const GoalOptions& options, const GoalFile& file, Timeline* timeline) {
    if (timeline == nullptr) {
        return goal::run(file.schedule, options.costs, options.charge);
    }
    goal::GoalOutcome outcome = goal::run(file.schedule, options.costs, options.charge,
                                          [timeline](const trace::Span& span) { timeline->add(span); });
    timeline->end = Time{Duration{*std::max_element(outcome.rank_finish.begin(), outcome.rank_finish.end())}};
    return outcome;
}

// Throws DeadlockError if the schedule cannot finish; the timeline up to there is passed on before.
goal::GoalOutcome run_and_draw(const GoalOptions& options, const GoalFile& file, const Listener& listener) {
    const bool is_drawn = listener.timeline != nullptr;
    if (is_drawn && file.schedule.cpus > most_cpus_drawn) {
        throw UsageError(fmt::format("{}: a timeline shows CPUs 0 to {}, and there is a CPU {}", options.file,
                                     most_cpus_drawn - 1, file.schedule.cpus - 1));
    }
    Timeline timeline = empty_timeline(options, file.schedule);
    Timeline* const drawn = is_drawn ? &timeline : nullptr;
    goal::GoalOutcome outcome =
        options.is_loggp() ? run_under_loggp(options, file, drawn) : run_on_network(file, options.on_network, drawn);
    timeline.fault = outcome.finished() ? "" : goal::explain(file.schedule, outcome, file.text);
    if (is_drawn) {
        listener.timeline(timeline);
    }
    if (!outcome.finished()) {
        throw DeadlockError(timeline.fault);
    }
    return outcome;
}

// A schedule that has run, its options and its outcome.
struct FinishedGoal {
    GoalOptions options;
    goal::GoalSchedule schedule;
    goal::GoalOutcome outcome;
};

Answer goal_answer(const GoalOptions& options, const Listener& listener) {
    check(options);
    const std::string text = read_text(options.file, "a GOAL schedule", written_by_programs);
    goal::GoalSchedule schedule = goal::parse(text, options.file);
    goal::GoalOutcome outcome = run_and_draw(options, {options.file, text, schedule}, listener);
    const std::string note = goal::explain_unreceived(schedule, outcome, text);
    const auto run =
        std::make_shared<const FinishedGoal>(FinishedGoal{options, std::move(schedule), std::move(outcome)});
    return {.forms = {.text = [run] { return text_of(run->options, run->schedule, run->outcome); },
                      .json = [run] { return json_line(goal_record().json(run->outcome)); },
                      .table = [run] { return finished_rank_record().table(finished_ranks(run->outcome)); }},
            .complaint = note.empty() ? "" : fmt::format("note: {}", note)};
}

Question goal_question() {
    const auto options = std::make_shared<GoalOptions>();
    return {
        .rows = option_rows(*options),
        .offer = {.json = "print one JSON object instead of the table",
                  .table = "write each rank's finish time as CSV",
                  .timeline = "write the timeline of each CPU, a picosecond for each unit of the schedule's time; for "
                              "ui.perfetto.dev"},
        .answer = [options](const Asked& asked) { return goal_answer(*options, asked.listener); }};
}

SchemaText goal_schema() {
    return schema_of_command("goal", goal_record().schema());
}

SchemaText goal_columns() {
    return columns_of_command("goal", finished_rank_record().columns());
}

}  // namespace

const Command goal_command{
    .name = "goal",
    .headline = "run a GOAL schedule under LogGP, as LogGOPSim does",
    .summary =
        "Runs a GOAL schedule under LogGP or on any network, and prints when each rank has finished its sends, "
        "receives and calculations.",
    .examples = {"ndsim goal ring.goal                                             # with LogGOPSim's own costs",
                 "ndsim goal ring.goal --loggp L=1000,o=200,g=5,G=0.04,S=8192      # other costs; time in ns, say",
                 "ndsim goal ring.goal --charge match --json",
                 "ndsim goal ring.goal --timeline                                  # the timeline of each CPU",
                 "ndsim goal ring.goal --topology dgx-h100 --unit ns               # over links that messages share"},
    .schemas = {goal_schema, goal_columns},
    .question = goal_question};

}  // namespace sim::tools
