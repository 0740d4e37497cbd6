// The effect of the topology on a training step: the same step with other node sizes, and the cost of all-reducing the
// gradients of models of three sizes on this cluster.
#include "libsim/error.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/replay/recording.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace predict;

namespace {

constexpr std::array model_sizes{1e9, 10e9, 100e9};

training::Machine with_nodes_of(const training::Machine& machine, int gpus) {
    training::Machine other = machine;
    other.gpus_per_node = gpus;
    other.derive_network();
    return other;
}

// All GPUs in one node, the current size, half of it, and one per node; a machine without a network has only one node.
std::vector<int> node_sizes(const training::Machine& machine, int gpus) {
    std::vector<int> sizes{gpus, machine.gpus_per_node};
    if (machine.scale_out > 0) {
        sizes.push_back(std::min(gpus, machine.gpus_per_node) / 2);
        sizes.push_back(1);
    }
    std::erase_if(sizes, [&](int size) { return size < 1 || size > gpus; });
    std::sort(sizes.rbegin(), sizes.rend());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// `ideal`: the step if all GPUs were used as well as one.
FigureTable nodes_table(const StepReport& report, double ideal) {
    const TrainingCase& what = report.what;
    FigureTable table{.key = "nodes",
                      .title = "The same step with other node sizes",
                      .columns = {{"per_node", "GPUs in a node", Unit::count},
                                  {"nodes", "nodes", Unit::count},
                                  {"step", "step", Unit::seconds, "simulated with nodes of this size"},
                                  {"exposed", "exposed communication", Unit::seconds, "simulated"},
                                  {"efficiency", "efficiency", Unit::share, "ideal step of the speedup / step"},
                                  {"change", "change", Unit::change, "step / current step - 1"}}};
    for (const int size : node_sizes(what.machine, what.gpus())) {
        try {
            const Prediction step = predict_step(what.model, with_nodes_of(what.machine, size), what.layout);
            table.rows.push_back({{std::int64_t{size}, std::int64_t{ceil_div(what.gpus(), size)}, seconds(step.step),
                                   exposed_seconds(step.budget), ideal / seconds(step.step),
                                   seconds(step.step) / seconds(report.step.step) - 1}});
        } catch (const ProgramError&) {
            // This layout does not fit on such nodes.
        }
    }
    return table;
}

// A rank program with one all-reduce over all GPUs, run by the kernel.
double all_reduce_seconds(const training::Machine& machine, int gpus, double bytes) {
    const replay::Recording program(gpus, [&](GPU& gpu) {
        gpu.collective(Group::strided(0, 1, gpus), {.kind = CollectiveKind::all_reduce,
                                                    .size = Bytes{static_cast<std::int64_t>(bytes)},
                                                    .label = "gradients"});
    });
    return seconds(program.replay({.cluster = training::machine_cluster(machine), .hash_timeline = false}).end -
                   Time{});
}

FigureTable models_table(const TrainingCase& what) {
    const double gradient = what.layout.numerics.fp32_gradients ? 4 : 2;
    const int within = std::min(what.gpus(), what.machine.gpus_per_node);
    FigureTable table{.key = "models",
                      .title = "One all-reduce of the gradients of other models, simulated on these GPUs",
                      .columns = {{"parameters", "parameters", Unit::count},
                                  {"bytes", "gradients", Unit::bytes, fmt::format("{} bytes each", gradient)},
                                  {"node", fmt::format("{} GPUs of a node", within), Unit::seconds, "simulated"},
                                  {"all", fmt::format("all {} GPUs", what.gpus()), Unit::seconds, "simulated"}}};
    for (const double size : model_sizes) {
        const double bytes = size * gradient;
        table.rows.push_back({{static_cast<std::int64_t>(size), bytes, all_reduce_seconds(what.machine, within, bytes),
                               all_reduce_seconds(what.machine, what.gpus(), bytes)}});
    }
    return table;
}

}  // namespace

std::optional<Section> explain_topology(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const training::Machine& machine = report.what.machine;
    if (report.what.gpus() == 1) {
        return std::nullopt;
    }
    Section section{.kind = SectionKind::topology};
    section.said = {
        machine.scale_out > 0
            ? Sentence{"A link within a node carries {node_rate} per GPU, and {ratio} as much as the {network_rate} "
                       "between nodes. The fewer nodes a step spans, the less it waits for the network."}
            : Sentence{"This machine has one node: no step leaves it."}};
    section.figures = {{"node_rate", "link within a node", machine.scale_up, Unit::bytes_per_second,
                        "per GPU and direction, hardware file of " + machine.name}};
    if (machine.scale_out > 0) {
        section.figures.push_back({"network_rate", "link between nodes", machine.scale_out, Unit::bytes_per_second,
                                   "per GPU and direction, hardware file of " + machine.name});
        section.figures.push_back(
            {"ratio", "ratio", machine.scale_up / machine.scale_out, Unit::factor, "within / between"});
    }
    section.tables = {nodes_table(report, explained.one.seconds() / report.what.gpus()), models_table(report.what)};
    return section;
}

}  // namespace sim::explain
