#include "libsim/explain/explained_run.hpp"

namespace sim::explain {

namespace {

// In display order.
constexpr RunSection run_section_rows[] = {
    explain_verdict,  explain_holdings,   explain_links,  explain_synchronisation, explain_speedup,
    explain_pipeline, explain_stragglers, explain_memory, explain_processes,       explain_input,
    explain_failures, explain_energy,     explain_advice, explain_assumptions,
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
