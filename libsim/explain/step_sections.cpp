#include "libsim/explain/step_sections.hpp"

#include <array>

namespace sim::explain {

namespace {

// In the order in which they are shown.
constexpr std::array step_section_rows{
    StepSection{explain_verdict},         StepSection{explain_holdings},    StepSection{explain_links},
    StepSection{explain_synchronisation}, StepSection{explain_speedup},     StepSection{explain_pipeline},
    StepSection{explain_memory},          StepSection{explain_processes},   StepSection{explain_input},
    StepSection{explain_topology},        StepSection{explain_failures},    StepSection{explain_energy},
    StepSection{explain_advice},          StepSection{explain_assumptions},
};

}  // namespace

std::vector<Section> sections_of(const ExplainedStep& step) {
    std::vector<Section> sections;
    for (const StepSection explain : step_section_rows) {
        if (std::optional<Section> section = explain(step)) {
            sections.push_back(std::move(*section));
        }
    }
    return sections;
}

}  // namespace sim::explain
