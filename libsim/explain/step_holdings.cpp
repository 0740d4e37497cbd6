// Distribution of a training step: the samples, layers, parameters and bytes of each GPU.
#include "libsim/explain/step_sections.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/split.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

namespace {

std::string range_text(std::int64_t first, std::int64_t count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, first + count - 1);
}

// "0 to 15", or "0 to 3, 16 to 19" for a stage with several chunks.
std::string layers_text(const TrainingCase& what, int stage) {
    const training::Layout& layout = what.layout;
    std::string text;
    for (int chunk = 0; chunk < layout.chunks_of_stage(); ++chunk) {
        const int part = training::virtual_stage_of(layout, stage, chunk);
        const int count = training::layers_of(what.model, layout, part);
        if (count > 0) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ",
                                range_text(training::first_layer_of(what.model, layout, part), count));
        }
    }
    return text.empty() ? "none" : text;
}

FigureTable classes_of_ranks(const TrainingCase& what, const Prediction& step) {
    const training::StepPlan plan = training::plan_step(what.model, what.machine, what.layout);
    const int alike = what.gpus() / what.layout.parallelism.pp;
    FigureTable table{
        .key = "ranks",
        .title = "What each GPU holds; those of a line hold equally much",
        .columns = {{"stage", "stage", Unit::count},
                    {"ranks", "GPUs", Unit::words, "numbered as Megatron-LM does"},
                    {"count", "how many", Unit::count, "dp x cp x tp"},
                    {"layers", "layers", Unit::words, "layers / stages, what is left over in the middle"},
                    {"parameters", "parameters", Unit::count, "of the layers, divided by tp; before zero spreads them"},
                    {"bytes", "bytes in all", Unit::bytes, "memory model, at its peak", "total"}}};
    for (int stage = 0; stage < what.layout.parallelism.pp; ++stage) {
        const auto at = static_cast<std::size_t>(stage);
        table.rows.push_back(
            {{std::int64_t{stage}, range_text(std::int64_t{stage} * alike, alike), std::int64_t{alike},
              layers_text(what, stage), plan.stages[at].parameters(), step.memory.stages[at].peak.total()},
             fmt::format("/memory/stages/{}", stage)});
    }
    return table;
}

// The GPUs of a replica: consecutive ranks on each stage.
std::string gpus_text(const TrainingCase& what, int replica) {
    const training::Parallelism& axes = what.layout.parallelism;
    const std::int64_t together = std::int64_t{axes.cp} * axes.tp;
    std::string text;
    for (std::int64_t stage = 0; stage < axes.pp; ++stage) {
        text +=
            fmt::format("{}{}", stage == 0 ? "" : ", ", range_text((stage * axes.dp + replica) * together, together));
    }
    return text;
}

FigureTable samples_of_replicas(const TrainingCase& what) {
    const training::Layout& layout = what.layout;
    const std::int64_t each = layout.batch.global / layout.parallelism.dp;
    FigureTable table{
        .key = "samples",
        .title = "Which sequences of a step each replica works on",
        .columns = {{"replica", "replica", Unit::count},
                    {"sequences", "sequences", Unit::words, "the global batch in equal parts, numbered from 0"},
                    {"gpus", "GPUs", Unit::words, "numbered as Megatron-LM does: tp, cp, dp, pp"}}};
    for (int replica = 0; replica < layout.parallelism.dp; ++replica) {
        table.rows.push_back({{std::int64_t{replica}, range_text(replica * each, each), gpus_text(what, replica)}});
    }
    return table;
}

Figure axis(const char* key, const char* name, int size, const char* how) {
    return {key, name, std::int64_t{size}, Unit::count, how, std::string("/layout/") + key};
}

}  // namespace

std::optional<Section> explain_holdings(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    const training::Parallelism& axes = what.layout.parallelism;
    const std::int64_t sequences = what.layout.batch.global / axes.dp;
    Section section{.kind = SectionKind::holdings};
    const std::string where = what.gpus() == 1                            ? "one GPU"
                              : what.gpus() <= what.machine.gpus_per_node ? "{gpus} GPUs of one node"
                                                                          : "{gpus} GPUs in {nodes} nodes";
    section.said = {{"The {parameters} parameters lie on " + where +
                     ". A step works on {global_batch} sequences of {sequence} tokens: " +
                     (axes.dp == 1 ? "the one replica of the model takes them all"
                                   : "each of {dp} replicas of the model takes {sequences} of them") +
                     ", {micro_batch} at a time."}};
    section.figures = {
        {"gpus", "GPUs", std::int64_t{what.gpus()}, Unit::count, "dp x tp x pp x cp", "/gpus"},
        {"nodes", "nodes", std::int64_t{ceil_div(what.gpus(), what.machine.gpus_per_node)}, Unit::count,
         fmt::format("GPUs / {} of a node of {}", what.machine.gpus_per_node, what.machine.name)},
        {"parameters", "parameters of the model", training::parameters_of(what.model).total(), Unit::count,
         "counted from its shape"},
        axis("dp", "replicas (dp)", axes.dp, "each works on its own sequences"),
        axis("tp", "matrices split over (tp)", axes.tp, "each has a part of every matrix"),
        axis("pp", "stages (pp)", axes.pp, "each has some of the layers"),
        axis("cp", "sequences split over (cp)", axes.cp, "each has some of the tokens of a sequence"),
    };
    if (axes.ep > 1) {
        section.figures.push_back(axis("ep", "experts spread over (ep)", axes.ep, "each has some of the experts"));
    }
    section.figures.insert(
        section.figures.end(),
        {axis(
             "zero", "zero", axes.zero,
             axes.zero == 0   ? "every replica keeps all states"
             : axes.zero == 1 ? "optimizer states are spread over the replicas"
             : axes.zero == 2 && !what.layout.spreads_gradient_sums()
                 ? "optimizer states are spread over the replicas; gradients are whole up to a chunk's last micro-batch"
             : axes.zero == 2 ? "optimizer states and gradients are spread over the replicas"
                              : "optimizer states, gradients and parameters are spread over the replicas"),
         axis("global_batch", "sequences in a step", what.layout.batch.global, "global batch"),
         axis("micro_batch", "sequences at a time", what.layout.batch.micro, "micro-batch"),
         {"sequences", "sequences of a replica", sequences, Unit::count, "global batch / dp"},
         {"sequence", "tokens of a sequence", std::int64_t{what.model.sequence}, Unit::count, "the model's"}});
    section.tables = {classes_of_ranks(what, explained.report->step), samples_of_replicas(what)};
    return section;
}

}  // namespace sim::explain
