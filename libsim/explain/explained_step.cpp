#include "libsim/explain/explained_step.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/training/memory.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;
using namespace report;

namespace {

struct StepSectionRow {
    StepSection section;
    bool brief;
    bool full;
    bool page;
};
// In display order.
constexpr StepSectionRow step_sections[] = {
    {explain_verdict, true, true, true},
    {explain_budget, true, false, true},
    {explain_holdings, false, true, false},
    {explain_links, true, true, false},
    {explain_synchronisation, false, true, false},
    {explain_speedup, false, true, false},
    {explain_pipeline, true, true, false},
    {explain_memory, true, true, true},
    {explain_processes, false, true, false},
    {explain_input, false, true, false},
    {explain_topology, false, true, false},
    {explain_failures, false, true, false},
    {explain_energy, false, true, false},
    {explain_cost, false, false, true},
    {explain_advice, true, true, true},
    {explain_assumptions, true, true, false},
};

Explanation explanation_of(const ExplainedStep& step, bool StepSectionRow::*is_shown) {
    Explanation explanation{.title = title_of(step.report->what),
                            .subtitle = batch_text(step.report->what),
                            .of = step.command({}),
                            .scenario = "",
                            .level = step.level};
    for (const StepSectionRow& row : step_sections) {
        if (!(row.*is_shown)) {
            continue;
        }
        if (std::optional<Section> section = row.section(step)) {
            explanation.sections.push_back(at_level(std::move(*section), step.level));
        }
    }
    return explanation;
}

// `step`: the prediction of `what`, with its budget.
OneGpu on_one_gpu(const TrainingCase& what, const Prediction& step) {
    if (what.gpus() == 1) {
        return {step.memory.fits(), step.memory.fullest().peak.total(), step.budget};
    }
    const training::Layout layout = layout_on_one(what.layout);
    const training::Memory memory = training::memory_of(what.model, what.machine, layout);
    OneGpu one{memory.fits(), memory.fullest().peak.total()};
    if (one.fits) {
        one.budget = predict_step(what.model, what.machine, layout).budget;
    } else {
        const auto work = static_cast<std::size_t>(TimeCategory::compute);
        one.budget[work] = what.gpus() * step.budget[work];
    }
    return one;
}

// "selective (layernorm, moe_act)"; modules are named only if they differ from the default.
std::string recompute_text(const training::Framework& framework) {
    const std::string name = name_of(framework.recompute);
    return framework.names_modules() ? fmt::format("{} ({})", name, text_of(framework.recompute_modules, ", ")) : name;
}

}  // namespace

Explanation explanation_of(const ExplainedStep& step) {
    if (step.level == Level::brief) {
        return explanation_of(step, &StepSectionRow::brief);
    }
    ExplainedStep compared = step;
    compared.one = on_one_gpu(step.report->what, step.report->step);
    return explanation_of(compared, &StepSectionRow::full);
}

Explanation verdict_of(const ExplainedStep& step) {
    return explanation_of(step, &StepSectionRow::page);
}

std::string batch_text(const TrainingCase& what) {
    const training::Layout& layout = what.layout;
    return fmt::format("{} of {} x {} tokens, global batch {}, {}, zero {}, recompute {}",
                       number_text(layout.micro_batches(), "micro-batch", "micro-batches"), layout.batch.micro,
                       what.model.sequence, layout.batch.global, name_of(layout.numerics.precision),
                       layout.parallelism.zero, recompute_text(layout.framework));
}

training::Layout layout_on_one(const training::Layout& layout) {
    training::Layout one = layout;
    one.parallelism = {};
    return one;
}

CollectiveWords collective_words(const training::Accelerator& gpu) {
    const std::string& library = gpu.collectives;
    if (library.empty()) {
        return {.priced = "by a model of its algorithm and links",
                .algorithm = "chosen by the model of the links",
                .alone = "the model's estimate",
                .reached = "the share that collectives are assumed to achieve"};
    }
    if (library == training::nccl_library) {
        return {.priced = fmt::format("as {}'s tuner expects it", library),
                .algorithm = fmt::format("as {}'s tuner chooses", library),
                .alone = fmt::format("{}'s own estimate", library),
                .reached = fmt::format("the share that {} achieves in measurements", library)};
    }
    return {.priced = fmt::format("by a model of rings and trees in place of {}'s own choice", library),
            .algorithm = fmt::format("by a model in place of {}'s own choice", library),
            .alone = "that model's estimate",
            .reached = fmt::format("the share that {} is assumed to achieve", library)};
}

}  // namespace sim::explain
