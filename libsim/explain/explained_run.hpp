// The sections of the explained run of a scenario: each is a function, and a row of the table in explained_run.cpp.
//
// They read the scenario's --json output and the timeline that it left, and hold no times of their own.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_section.hpp"
#include "libsim/report/timeline.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sim::explain {

// The same run with one change.
struct TriedRun {
    std::string what;     // in words
    std::string command;  // the command that runs it
    double seconds = 0;   // simulated
};

// A run in which a rank's process was killed.
struct KilledRun {
    nlohmann::ordered_json result;  // the --json output of the run with --fault
    std::string command;
    std::vector<std::string> said;  // lines on standard error
};

struct ExplainedRun {
    nlohmann::ordered_json result;  // the scenario's --json output
    nlohmann::ordered_json alone;   // 0d_sequential's output for the same training; null: it could not be run
    std::optional<KilledRun> killed;
    report::Timeline timeline;
    Cluster cluster;
    std::string command;  // "1d_data_parallel --ranks 8"
    std::vector<TriedRun> tried;
    int explainer_pid = 0;  // pid of the process that started the run
    ExplainSettings settings;

    std::size_t ranks() const { return result.at("per_rank").size(); }
    int steps() const { return result.at("options").at("steps").get<int>(); }
    int mesh(const char* axis) const { return result.at("mesh").at(axis).get<int>(); }
    double seconds() const { return result.at("simulated_seconds").get<double>(); }
};

using RunSection = std::optional<Section> (*)(const ExplainedRun& run);

std::optional<Section> explain_verdict(const ExplainedRun& run);
std::optional<Section> explain_holdings(const ExplainedRun& run);
std::optional<Section> explain_links(const ExplainedRun& run);
std::optional<Section> explain_synchronisation(const ExplainedRun& run);
std::optional<Section> explain_speedup(const ExplainedRun& run);
std::optional<Section> explain_pipeline(const ExplainedRun& run);
std::optional<Section> explain_stragglers(const ExplainedRun& run);
std::optional<Section> explain_memory(const ExplainedRun& run);
std::optional<Section> explain_processes(const ExplainedRun& run);
std::optional<Section> explain_input(const ExplainedRun& run);
std::optional<Section> explain_failures(const ExplainedRun& run);
std::optional<Section> explain_energy(const ExplainedRun& run);
std::optional<Section> explain_advice(const ExplainedRun& run);
std::optional<Section> explain_assumptions(const ExplainedRun& run);

// All sections that apply, in display order.
std::vector<Section> sections_of(const ExplainedRun& run);

// The samples that a replica of the run loads.
InputSituation input_of(const ExplainedRun& run);

// The value at `pointer` in the result: a number or a text.
Value value_at(const nlohmann::ordered_json& result, const std::string& pointer);
// `figure` with its value taken from `pointer` in the result.
Figure figure_at(const ExplainedRun& run, const std::string& pointer, Figure figure);

// The time of all GPUs together, by cause. In whole picoseconds, so that the parts add up to the whole.
struct RunLosses {
    Duration whole{0};  // GPUs x the time of the run
    Duration ideal{0};  // time that one GPU alone needs
    Duration extra_compute{0};
    Duration communication{0};
    Duration bubble{0};
    Duration waiting{0};  // all other waiting
};
RunLosses losses_of(const ExplainedRun& run);

}  // namespace sim::explain
