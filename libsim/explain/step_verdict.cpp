// The verdict on a training step: how long it takes, whether it fits, and what takes most of the time.
#include "libsim/explain/step_sections.hpp"
#include "libsim/explain/train/sections.hpp"

namespace sim::explain {

using namespace predict;

namespace {

Sentence verdict_sentence(const StepReport& report) {
    if (!report.step.memory.fits()) {
        return {
            "DOES NOT FIT: the fullest GPU needs {memory} and has {capacity}, {missing} too little. If it had the "
            "memory, one step would take {step_seconds}.",
            "This does not work: the fullest GPU needs {memory} of memory and has {capacity}, {missing} too "
            "little. If it had enough, one training step would take {step_seconds}."};
    }
    return {"One step takes {step_seconds} and fits into memory: the fullest GPU needs {memory} of {capacity}.",
            "One training step takes {step_seconds}, and the model fits: the fullest GPU needs {memory} of its "
            "{capacity} of memory."};
}

}  // namespace

std::optional<Section> explain_verdict(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const Prediction& step = report.step;
    const std::int64_t used = step.memory.fullest().peak.total();
    const std::int64_t capacity = step.memory.capacity;
    Section section{.kind = SectionKind::verdict};
    section.said = {verdict_sentence(report), {"Limited by {limiter}.", "What takes most of the time: {limiter}."}};
    section.figures = {
        {"step_seconds", "step", seconds(step.step), Unit::seconds, "simulated", "/step_seconds"},
        {"tokens_per_second", "throughput", step.tokens_per_second, Unit::tokens_per_second,
         "tokens of the global batch / step", "/tokens_per_second"},
        {"mfu", "MFU", step.mfu, Unit::share, "FLOPs of the model / (step x peak of all GPUs)", "/mfu"},
        {"memory", "memory of the fullest GPU", used, Unit::bytes, "memory model, docs/memory.md", "/memory/peak"},
        {"capacity", "memory that a GPU has", capacity, Unit::bytes, "hardware file", "/memory/capacity"},
    };
    if (used > capacity) {
        section.figures.push_back({"missing", "missing", used - capacity, Unit::bytes, "what it needs - what it has"});
    } else {
        section.figures.push_back({"left", "left", capacity - used, Unit::bytes, "what it has - what it needs"});
    }
    if (report.per_step.usd > 0) {
        section.figures.push_back({"usd", "cost of a step", report.per_step.usd, Unit::usd,
                                   "GPU-hours x price: " + report.what.price, "/cost_per_step/usd"});
    }
    if (report.run) {
        section.figures.push_back({"run_seconds", "the whole run", report.run->seconds, Unit::hours,
                                   "steps, or tokens / tokens of a step, x step", "/cost_of_run/seconds"});
    }
    section.figures.push_back(
        {"limiter", "limited by", limiter(step.budget), Unit::words, "largest part of the step", "/limiter"});
    return section;
}

}  // namespace sim::explain
