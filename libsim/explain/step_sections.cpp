#include "libsim/explain/step_sections.hpp"

#include <array>
#include <span>

namespace sim::explain {

namespace {

// In display order.
constexpr std::array step_section_rows{
    StepSection{explain_verdict},         StepSection{explain_holdings},    StepSection{explain_links},
    StepSection{explain_synchronisation}, StepSection{explain_speedup},     StepSection{explain_pipeline},
    StepSection{explain_memory},          StepSection{explain_processes},   StepSection{explain_input},
    StepSection{explain_topology},        StepSection{explain_failures},    StepSection{explain_energy},
    StepSection{explain_advice},          StepSection{explain_assumptions},
};

constexpr std::array verdict_section_rows{
    StepSection{explain_verdict}, StepSection{explain_budget}, StepSection{explain_memory},
    StepSection{explain_cost},    StepSection{explain_advice},
};

std::vector<Section> sections_of(std::span<const StepSection> rows, const ExplainedStep& step) {
    std::vector<Section> sections;
    for (const StepSection explain : rows) {
        if (std::optional<Section> section = explain(step)) {
            sections.push_back(std::move(*section));
        }
    }
    return sections;
}

}  // namespace

std::vector<Section> sections_of(const ExplainedStep& step) {
    return sections_of(step_section_rows, step);
}

std::vector<Section> verdict_sections(const ExplainedStep& step) {
    return sections_of(verdict_section_rows, step);
}

}  // namespace sim::explain
