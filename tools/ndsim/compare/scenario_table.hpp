// A table of several scenarios' results: where the time of each went, and what came of its training.
#pragma once

#include "libsim/report/record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::tools {

// One scenario's result. Times are means over the ranks, which all live for the whole run: compute, exposed
// communication, bubble and idle add up to the simulated seconds.
struct ScenarioRow {
    std::string file;
    std::string scenario;
    std::string mesh;  // the axes of size above one, "dp 2 x tp 2"; "-": none
    int ranks = 0;
    int processes = 0;
    double simulated_seconds = 0;
    double speedup = 0;
    double efficiency = 0;
    double compute_seconds = 0;
    double communication_seconds = 0;
    double bubble_seconds = 0;
    double idle_seconds = 0;
    double units_sent = 0;  // the mean over the ranks
    std::int64_t messages = 0;
    double peak_memory_units = 0;
    double loss_before = 0;
    double loss = 0;
    double max_weight_difference = 0;
    bool is_compressed = false;
    bool has_experts = false;
    double wall_seconds = 0;

    bool has_same_weights() const;
    // Whether the weights are those of 0D, or differ because gradients were compressed.
    bool agrees() const { return has_same_weights() || is_compressed; }
};

// Throws UsageError, one line that begins with the file's name, unless a scenario printed the file with --json.
ScenarioRow read_scenario_row(const std::string& file);

std::string text_of(const std::vector<ScenarioRow>& rows);
const report::Record<ScenarioRow>& scenario_row_record();

}  // namespace sim::tools
