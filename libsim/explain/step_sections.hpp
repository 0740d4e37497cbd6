// The sections of an explained training step: each is a function, and a row of the table in step_sections.cpp.
#pragma once

#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_section.hpp"
#include "libsim/explain/train/step_report.hpp"

#include <functional>
#include <optional>
#include <string>

namespace sim::explain {

// A training step, and all that its explanation is computed from.
struct ExplainedStep {
    const predict::TrainingOptions* options = nullptr;
    const StepReport* report = nullptr;
    // "ndsim train --model llama3-8b …", which gives the same step, with a change.
    std::function<std::string(const predict::Change&)> command;
    std::vector<std::string> told;  // what was chosen before that, a line each
    ExplainSettings settings;
};

// One section; nothing where there is nothing to say.
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

// What a replica of the step loads.
InputSituation input_of(const ExplainedStep& step);

// Those of an explanation, in order.
std::vector<Section> sections_of(const ExplainedStep& step);
// What the page of a step begins with: the verdict, where the time goes, memory by kind, cost and what to try.
std::vector<Section> verdict_sections(const ExplainedStep& step);

}  // namespace sim::explain
