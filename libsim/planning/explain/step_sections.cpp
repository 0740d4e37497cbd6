#include "libsim/planning/explain/step_sections.hpp"

#include <array>

namespace sim::planning {

namespace {

// In the order in which they are shown.
constexpr std::array<StepSection, 7> step_section_rows{
    explain_verdict, explain_holdings, explain_links,  explain_synchronisation,
    explain_speedup, explain_pipeline, explain_memory,
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

}  // namespace sim::planning
