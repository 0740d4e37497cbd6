#include "libsim/explain/run_sections.hpp"

#include <array>

namespace sim::explain {

namespace {

// In display order.
constexpr std::array run_section_rows{
    explain_run_verdict,  explain_run_holdings,   explain_run_links,  explain_run_synchronisation, explain_run_speedup,
    explain_run_pipeline, explain_run_stragglers, explain_run_memory, explain_run_processes,       explain_run_input,
    explain_run_failures, explain_run_energy,     explain_run_advice, explain_run_assumptions,
};

Duration duration_at(const nlohmann::ordered_json& object, const char* key) {
    return duration_of_seconds(object.at(key).get<double>());
}

}  // namespace

std::vector<Section> sections_of(const ExplainedRun& run) {
    std::vector<Section> sections;
    for (const RunSection explain : run_section_rows) {
        if (std::optional<Section> section = explain(run)) {
            sections.push_back(std::move(*section));
        }
    }
    return sections;
}

Value value_at(const nlohmann::ordered_json& result, const std::string& pointer) {
    const nlohmann::ordered_json& found = result.at(nlohmann::ordered_json::json_pointer(pointer));
    if (found.is_string()) {
        return found.get<std::string>();
    }
    if (found.is_number_integer()) {
        return found.get<std::int64_t>();
    }
    return found.is_number() ? Value(found.get<double>()) : Value();
}

Figure figure_at(const ExplainedRun& run, const std::string& pointer, Figure figure) {
    figure.value = value_at(run.result, pointer);
    figure.same_as = pointer;
    return figure;
}

RunLosses losses_of(const ExplainedRun& run) {
    const auto ranks = static_cast<std::int64_t>(run.ranks());
    RunLosses losses{.whole = ranks * duration_at(run.result, "simulated_seconds"),
                     .ideal = duration_at(run.result, "sequential_seconds")};
    Duration compute{0};
    Duration idle{0};
    for (const auto& rank : run.result.at("per_rank")) {
        compute += duration_at(rank, "compute_seconds");
        losses.communication += duration_at(rank, "communication_seconds");
        idle += duration_at(rank, "idle_seconds");
    }
    losses.extra_compute = compute - losses.ideal;
    const double share = run.result.at("bubble_fraction").get<double>();
    losses.bubble = std::min(idle, duration_of_seconds(share * sim::seconds(losses.whole)));
    losses.waiting = idle - losses.bubble;
    return losses;
}

}  // namespace sim::explain
