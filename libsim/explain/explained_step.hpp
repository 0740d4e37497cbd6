// A predicted step, explained: a list of sections, of which `ndsim train`, `ndsim explain` and the page of a step each
// show some. A section is a function here and a row of the table in explained_step.cpp.
#pragma once

#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_section.hpp"
#include "libsim/explain/step_report.hpp"

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace sim::explain {

// The same training on one GPU: the baseline for a step on many.
struct OneGpu {
    bool fits = false;
    std::int64_t memory = 0;   // its peak
    predict::Budget budget{};  // adds up to its step; only the work if it does not fit

    double seconds() const { return std::accumulate(budget.begin(), budget.end(), 0.0); }
};

struct ExplainedStep {
    const StepReport* report = nullptr;
    // "ndsim train --model llama3-8b …": the command for the same step with a change.
    std::function<std::string(const predict::Change&)> command;
    std::vector<std::string> notes = {};  // choices made before, one line each
    ExplainSettings settings = {};
    Level level = Level::field;
    OneGpu one = {};  // set by explanation_of() if a section needs it
};

// The explanation at its level: the sections in display order, with the rows of that level.
Explanation explanation_of(const ExplainedStep& step);
// The verdict at the top of a step's page: time, memory by kind, cost and advice.
Explanation verdict_of(const ExplainedStep& step);

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

// The same global batch, micro-batch and kernels, without any parallelism.
training::Layout layout_on_one(const training::Layout& layout);
// The communication that no computation hides.
double exposed_seconds(const predict::Budget& budget);

// Phrases that name the model that prices collectives. It is always NCCL's; if another library runs them, NCCL's model
// is the substitute, and if a compiler runs them, as on a TPU, there is no library to name.
struct CollectiveWords {
    std::string priced;     // "every collective …"
    std::string algorithm;  // "as NCCL's tuner chooses"
    std::string alone;      // "NCCL's own estimate"
    std::string reached;    // "the link's rate x …"
};
CollectiveWords collective_words(const training::Accelerator& gpu);

// The bar and the table of a step's seconds by category, without the sentences of its section.
Section time_by_category(const predict::Budget& budget);
// The category that takes most of the step, in words.
std::string limiter(const predict::Budget& budget);
// The whole batch and how it is computed: "16 micro-batches of 1 x 8192 tokens, global batch 512, bf16 …".
std::string batch_text(const predict::TrainingCase& what);
// The layout's experts in the notation of the scenarios, where ep is a separate axis beside dp. Requires: ep > 1.
std::string experts_as_own_axis(const training::Layout& layout);

// Adds the figures of the fullest rank's memory, and the line on whether it fits.
void add_memory(Section& section, const training::Memory& memory);
// The memory of a rank of each stage at its peak.
FigureTable memory_of_stages(const training::Memory& memory);
// Printed on standard error if the memory of a step does not fit: by how much, and the fastest neighbour that does.
std::string misfit_line(const training::Memory& memory, const predict::AdviceList& list);

}  // namespace sim::explain
