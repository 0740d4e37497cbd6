// `ndsim chakra PREFIX`: runs Chakra execution traces on a network (libsim/interop/chakra/run.hpp).
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "tools/command_line/chakra_output.hpp"
#include "tools/ndsim/chakra/report.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/network_options.hpp"

#include <fmt/format.h>

#include <memory>

#ifdef NDSIM_CHAKRA
#include "libsim/interop/chakra/fastest.hpp"
#include "libsim/interop/chakra/process_groups.hpp"
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
    std::string algorithm;  // empty: that of each kind
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
    return {as_argument({"PREFIX", "", "a folder with the files of all ranks, PREFIX.RANK.et, or PREFIX",
                         file(options.traces)}),
            topology_row(options.network),
            profile_row(options.network),
            {"groups", "FILE", "ASTRA-sim's file of process groups, where the traces name none: {\"0\": [0, 1]}",
             file(options.groups)},
            {"algorithm", "NAME",
             "of collectives that have it, or auto: the fastest for each size and group (each kind's own)",
             choice(options.algorithm, algorithm_names())},
            {"flops-per-second", "X", "a GPU's speed, for computations without a time (what the profile says)",
             real(options.flops_per_second, 1, 1e18)},
            {"cpu-time", "", "what runs on the CPU takes its time, too, as if the GPU did it", flag(options.cpu_time)}};
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

// Computations are timed by their length alone: how many FLOPs these were, a trace seldom knows.
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
                      .table = "when each rank finishes",
                      .timeline = "the run's timeline, for ui.perfetto.dev"},
            .answer = [options](const Asked& asked) { return chakra_answer(*options, asked); }};
}

}  // namespace

const Command chakra_command{
    .name = "chakra",
    .headline = "run Chakra execution traces, such as ASTRA-sim's, on any network",
    .summary =
        "Runs Chakra execution traces on a network: when each rank has done what it computes, sends and joins. "
        "Computations take the time that the trace says. Reads PREFIX.RANK.et of all ranks, also compressed "
        "(.et.gz).",
    .examples = {"ndsim chakra traces/                                  # the ranks' files in a folder",
                 "ndsim chakra traces/step --topology fat-tree          # or by what their names begin with",
                 "ndsim chakra traces/step --groups comm_group.json --profile lab-nvlink --json",
                 "ndsim chakra traces/step --report step.html"},
    .schemas = {chakra_schema, chakra_columns},
    .question = chakra_question};

}  // namespace sim::tools
