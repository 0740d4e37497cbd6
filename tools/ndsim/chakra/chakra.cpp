// `ndsim chakra PREFIX`: runs Chakra execution traces on a network (libsim/interop/chakra/run.hpp).
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/ndsim/chakra/report.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/network_options.hpp"

#include <fmt/format.h>

#include <memory>

#ifdef NDSIM_CHAKRA
#include "libsim/interop/chakra/fastest.hpp"
#include "libsim/interop/chakra/messages.hpp"
#include "libsim/interop/chakra/run.hpp"
#include "libsim/report/timeline.hpp"
#endif

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

struct ChakraOptions {
    std::string traces;
    NetworkOptions network;
    std::string groups;
    std::string algorithm;  // empty: each kind's own
    double flops_per_second = 0;
    bool cpu_time = false;
};

std::vector<std::string> algorithm_names() {
    std::vector<std::string> names{"auto"};
    for (const Algorithm algorithm : all_algorithms()) {
        names.emplace_back(name_of(algorithm));
    }
    return names;
}

std::vector<OptionRow> option_rows(ChakraOptions& options) {
    return {
        as_argument({"PREFIX", "", "a folder with the files PREFIX.RANK.et of all ranks, or their common PREFIX",
                     file(options.traces)}),
        topology_row(options.network),
        profile_row(options.network),
        {"groups", "FILE", "ASTRA-sim's file of process groups, if the traces define none: {\"0\": [0, 1]}",
         file(options.groups)},
        {"algorithm", "NAME",
         "algorithm of the collectives that have it, or auto: the fastest for each size and group (each kind's own)",
         choice(options.algorithm, algorithm_names())},
        {"flops-per-second", "X", "a GPU's speed, for computations without a duration (the profile's)",
         real(options.flops_per_second, 1, 1e18)},
        {"cpu-time", "", "charge the time of CPU nodes, too, as if the GPU ran them", flag(options.cpu_time)}};
}

#ifdef NDSIM_CHAKRA

void count_nodes(const chakra::Traces& traces, ChakraRun& run) {
    for (const chakra::RankTrace& trace : traces.ranks) {
        run.nodes += std::ssize(trace.nodes);
        for (const chakra::Node& node : trace.nodes) {
            run.computations += node.kind == chakra::NodeKind::compute ? 1 : 0;
            run.collectives += node.kind == chakra::NodeKind::collective ? 1 : 0;
            run.messages += node.kind == chakra::NodeKind::send ? 1 : 0;
        }
    }
}

// Drops the amounts of computations: a trace gives their duration but seldom their FLOPs.
void add_span(report::Timeline& timeline, const Span& span) {
    Span shown = span;
    shown.amount = span.kind == OpKind::compute ? 0 : span.amount;
    timeline.add(shown);
}

Answer chakra_answer(const ChakraOptions& options, const Asked& asked) {
    chakra::Traces traces = chakra::read(options.traces);
    if (!options.groups.empty()) {
        traces.groups = chakra::read_group_file(options.groups);
    }
    int ranks = static_cast<int>(traces.ranks.size());
    chakra::RunOptions ask{.cluster = cluster_of(options.network, ranks),
                           .cpu_time = options.cpu_time,
                           .hash_timeline = asked.wants("json")};
    if (options.flops_per_second > 0) {
        ask.cluster.compute.per_flop = pace_of(FlopRate{static_cast<std::int64_t>(options.flops_per_second)});
    }
    if (options.algorithm == "auto") {
        chakra::take_fastest(traces, ask.cluster);
    } else if (const auto algorithm = algorithm_named(options.algorithm)) {
        chakra::take_algorithm(traces, *algorithm);
    }
    report::Timeline timeline{.title = "ndsim chakra",
                              .facts = {{"ranks", std::to_string(ranks)}, {"network", ask.cluster.name}},
                              .ranks = ranks,
                              .topology = ask.cluster.network->shared_topology()};
    if (asked.listener.timeline) {
        ask.on_span = [&](const Span& span) { add_span(timeline, span); };
    }
    const auto run =
        std::make_shared<ChakraRun>(ChakraRun{.network = ask.cluster.name, .outcome = chakra::run(traces, ask)});
    count_nodes(traces, *run);
    if (asked.listener.timeline) {
        timeline.totals = run->outcome.ranks;
        timeline.end = run->outcome.end;
        asked.listener.timeline(timeline);
    }
    return {.forms = {.text = [run] { return text_of(*run); },
                      .json = [run] { return json_of(*run); },
                      .table = [run] { return table_of(*run); }}};
}

#else

Answer chakra_answer(const ChakraOptions&, const Asked&) {
    throw MachineLimit(without_protobuf);
}

#endif

Question chakra_question() {
    const auto options = std::make_shared<ChakraOptions>();
    return {.rows = option_rows(*options),
            .offer = {.json = "print one JSON object instead of the table",
                      .table = "write each rank's finish time as CSV",
                      .timeline = "write the run's timeline, for ui.perfetto.dev"},
            .answer = [options](const Asked& asked) { return chakra_answer(*options, asked); }};
}

}  // namespace

const Command chakra_command{
    .name = "chakra",
    .headline = "run Chakra execution traces, such as ASTRA-sim's, on any network",
    .summary =
        "Runs Chakra execution traces on a network and prints when each rank has finished its computations, messages "
        "and collectives. Computations take the duration that the trace gives. Reads PREFIX.RANK.et of all ranks, also "
        "compressed (.et.gz).",
    .examples = {"ndsim chakra traces/                                  # the ranks' files in a folder",
                 "ndsim chakra traces/step --topology fat-tree          # or their common prefix",
                 "ndsim chakra traces/step --groups comm_group.json --profile lab-nvlink --json",
                 "ndsim chakra traces/step --report step.html"},
    .schemas = {chakra_schema, chakra_columns},
    .question = chakra_question};

}  // namespace sim::tools
