// The sections of an explained training step: each is a function, and a row of the table in step_sections.cpp.
#pragma once

#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_section.hpp"
#include "libsim/explain/train/step_report.hpp"

#include <functional>
#include <optional>
#include <string>

namespace sim::explain {

// A training step, and all inputs of its explanation.
struct ExplainedStep {
    const predict::TrainingOptions* options = nullptr;
    const StepReport* report = nullptr;
    // "ndsim train --model llama3-8b …": the command for the same step with a change.
    std::function<std::string(const predict::Change&)> command;
    std::vector<std::string> notes;  // choices made before, one line each
    ExplainSettings settings;
};

// One section; nothing if it does not apply.
using StepSection = std::optional<Section> (*)(const ExplainedStep& step);

std::optional<Section> explain_verdict(const ExplainedStep& step);
std::optional<Section> explain_budget(const ExplainedStep& step);
std::optional<Section> explain_holdings(const ExplainedStep& step);
std::optional<Section> explain_links(const ExplainedStep& step);
std::optional<Section> explain_synchronisation(const ExplainedStep& step);
std::optional<Section> explain_speedup(const ExplainedStep& step);
std::optional<Section> explain_pipeline(const ExplainedStep& step);
std::optional<Section> explain_memory(const ExplainedStep& step);
std::optional<Section> explain_processes(const ExplainedStep& step);
std::optional<Section> explain_input(const ExplainedStep& step);
std::optional<Section> explain_topology(const ExplainedStep& step);
std::optional<Section> explain_failures(const ExplainedStep& step);
std::optional<Section> explain_energy(const ExplainedStep& step);
std::optional<Section> explain_cost(const ExplainedStep& step);
std::optional<Section> explain_advice(const ExplainedStep& step);
std::optional<Section> explain_assumptions(const ExplainedStep& step);

// The samples that a replica of the step loads.
InputSituation input_of(const ExplainedStep& step);

// All sections of an explanation, in display order.
std::vector<Section> sections_of(const ExplainedStep& step);
// The sections at the top of a step's page: verdict, time budget, memory by kind, cost and advice.
std::vector<Section> verdict_sections(const ExplainedStep& step);

}  // namespace sim::explain
