// The samples, layers, parameters and bytes that each GPU or rank holds.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/split.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

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
        .title = "What each GPU holds; all GPUs of a line hold the same amount",
        .columns = {{"stage", "stage", Unit::count},
                    {"ranks", "GPUs", Unit::words, "numbered as Megatron-LM does"},
                    {"count", "how many", Unit::count, "dp x cp x tp"},
                    {"layers", "layers", Unit::words, "layers / stages; the middle stages take the remainder"},
                    {"parameters", "parameters", Unit::count, "of the layers, divided by tp, before ZeRO shards them"},
                    {"bytes", "total", Unit::bytes, "memory model, at its peak", "total"}}};
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
        .title = "Sequences of a step by replica",
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
    section.said = {{"The {parameters} parameters are held by " + where +
                     ". A step trains on {global_batch} sequences of {sequence} tokens: " +
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
    if (what.layout.shard_copies() > 1) {
        section.figures.push_back(axis("shard", "replicas that states are spread over (shard)", what.layout.shards(),
                                       "adjacent ones; each further group of as many has a copy of the states"));
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
         axis("global_batch", "sequences per step", what.layout.batch.global, "global batch"),
         axis("micro_batch", "sequences per micro-batch", what.layout.batch.micro, "micro-batch"),
         {"sequences", "sequences per replica", sequences, Unit::count, "global batch / dp"},
         {"sequence", "tokens per sequence", std::int64_t{what.model.sequence}, Unit::count, "the model"}});
    section.tables = {classes_of_ranks(what, explained.report->step), samples_of_replicas(what)};
    return section;
}

namespace {

// The number after `word` in a label: 3 in "forward of micro-batch 3, layer 1".
std::optional<int> number_behind(std::string_view label, std::string_view word) {
    const std::size_t at = label.find(word);
    int number = 0;
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const char* const begin = label.data() + at + word.size();
    const char* const end = label.data() + label.size();
    return std::from_chars(begin, end, number).ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Formats numbers as ranges: "0 to 3, 8".
std::string ranges_text(const std::set<int>& numbers) {
    std::string text;
    for (auto at = numbers.begin(); at != numbers.end();) {
        const int first = *at;
        int last = first;
        while (++at != numbers.end() && *at == last + 1) {
            last = *at;
        }
        text += text.empty() ? "" : ", ";
        text += first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
    }
    return text.empty() ? "all" : text;
}

struct Held {
    std::set<int> items;
    std::set<int> micro_batches;
    std::set<int> layers;
    double weights = 0;
};

std::vector<Held> held_by_rank(const ExplainedRun& run) {
    std::vector<Held> held(run.ranks());
    for (const Span& span : run.timeline.spans) {
        Held& own = held.at(static_cast<std::size_t>(span.rank));
        const auto note = [&](std::set<int>& set, std::string_view word) {
            if (const auto number = number_behind(*span.label, word)) {
                set.insert(*number);
            }
        };
        if (span.kind == OpKind::compute) {
            note(own.items, "item ");
            note(own.micro_batches, "micro-batch ");
            note(own.layers, "layer ");
        } else if (span.kind == OpKind::allocate && own.weights == 0 && *span.label == "weights") {
            own.weights = Units::from_billionths(span.amount).value();
        }
    }
    return held;
}

FigureTable held_table(const std::vector<Held>& held, bool by_items) {
    FigureTable table{.key = "ranks",
                      .title = "What each rank worked on",
                      .columns = {{"rank", "rank", Unit::count},
                                  {"samples", by_items ? "items" : "micro-batches", Unit::words, "of its computations"},
                                  {"layers", "layers", Unit::words, "of its computations"},
                                  {"weights", "weights (units)", Unit::count, "as it allocated them"}}};
    for (std::size_t rank = 0; rank < held.size(); ++rank) {
        const Held& own = held[rank];
        table.rows.push_back({{static_cast<std::int64_t>(rank), ranges_text(by_items ? own.items : own.micro_batches),
                               ranges_text(own.layers), own.weights}});
    }
    return table;
}

struct Axis {
    const char* key;
    const char* name;
    const char* how;
};
constexpr Axis run_axes[] = {{"dp", "replicas (dp)", "each works on its own items"},
                             {"tp", "matrices split over (tp)", "each has a part of every matrix"},
                             {"pp", "stages (pp)", "each has some of the layers"},
                             {"ep", "experts spread over (ep)", "each has some of the experts"},
                             {"cp", "sequences split over (cp)", "each has some of the positions"}};

}  // namespace

std::optional<Section> explain_holdings(const ExplainedRun& run) {
    const std::vector<Held> held = held_by_rank(run);
    const bool by_items = !held.empty() && !held.front().items.empty();
    Section section{.kind = SectionKind::holdings};
    section.said = {{"{items} items of each step and {layers} layers are spread over {ranks} GPUs."}};
    section.figures = {
        figure_at(run, "/options/items", {"items", "items of a step", {}, Unit::count, "--items"}),
        figure_at(run, "/options/layers", {"layers", "layers of the model", {}, Unit::count, "--layers"}),
        figure_at(run, "/ranks", {"ranks", "GPUs", {}, Unit::count, "dp x tp x pp x ep x cp"})};
    for (const Axis& one : run_axes) {
        if (run.mesh(one.key) > 1) {
            section.figures.push_back(
                figure_at(run, std::string("/mesh/") + one.key, {one.key, one.name, {}, Unit::count, one.how}));
        }
    }
    section.tables = {held_table(held, by_items)};
    return section;
}

}  // namespace sim::explain
