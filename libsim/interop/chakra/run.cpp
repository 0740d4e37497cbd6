#include "libsim/interop/chakra/run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/interop/chakra/meetings.hpp"
#include "libsim/interop/chakra/plan.hpp"
#include "libsim/interop/chakra/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::chakra {

namespace {

bool is_communication(const Node& node) {
    return node.kind == NodeKind::send || node.kind == NodeKind::receive || node.kind == NodeKind::collective;
}

Duration time_of(const Node& node, int rank, const RunOptions& options, const std::string& file) {
    const bool is_work =
        node.kind == NodeKind::compute || node.kind == NodeKind::memory_load || node.kind == NodeKind::memory_store;
    if (!is_work || (node.on_cpu && !options.cpu_time && !node.stream)) {
        return Duration{0};
    }
    if (node.time > Duration{0} || node.flops == 0) {
        return node.time;
    }
    if (!options.cluster.compute.per_flop) {
        throw config::UsageError(
            fmt::format("{}: {} has num_ops and no duration, and here FLOPs have no price", file, describe(node)));
    }
    return compute_time(options.cluster, rank, Flops{node.flops});
}

// A trace of ndsim gives the stream of each node, and its ids are the order of the program.
bool says_streams(const Traces& traces) {
    return std::any_of(traces.ranks.begin(), traces.ranks.end(), [](const RankTrace& trace) {
        return std::any_of(trace.nodes.begin(), trace.nodes.end(), [](const Node& node) { return node.stream; });
    });
}

[[noreturn]] void refuse_node(const Traces& traces, int rank, const Node& node, const std::string& why) {
    throw config::UsageError(
        fmt::format("{}: {}: {}", traces.files[static_cast<std::size_t>(rank)], describe(node), why));
}

void check_stream(const Traces& traces, int rank, const Node& node) {
    if (!node.stream) {
        refuse_node(traces, rank, node, "has no ndsim_stream, though other nodes have");
    }
    const auto stream = static_cast<int>(*node.stream);
    const bool waits = node.kind == NodeKind::metadata;
    const bool begins_at_once = !waits && node.kind != NodeKind::collective && !is_of_ndsim(node.kind);
    // Channels of collectives are numbered after the streams that programs can name; memory and log lines are on stream
    // 0.
    const int last = is_of_ndsim(node.kind) ? 0 : is_communication(node) || waits ? last_channel_stream : most_streams;
    const bool is_there = stream != most_streams + 1 && stream <= last;
    if (*node.stream == Stream::own ? !begins_at_once : !is_there) {
        refuse_node(traces, rank, node, fmt::format("there is no stream {} for it", stream));
    }
}

void require_prices(const Traces& traces, const Cluster& cluster) {
    for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank) {
        for (const Node& node : traces.ranks[rank].nodes) {
            const bool has_size = node.kind != NodeKind::collective || node.collective != CollectiveKind::barrier;
            if (is_communication(node) && has_size) {
                try {
                    require_price(cluster, size_of(node));
                } catch (const ProgramError& error) {
                    refuse_node(traces, static_cast<int>(rank), node, error.what());
                }
            }
        }
    }
}

// The streams of one rank's nodes, from the nodes themselves or from their meetings; nodes without time have none.
std::vector<std::optional<Stream>> streams_of_rank(const Traces& traces, int rank, const Meetings& meetings,
                                                   const std::optional<std::vector<Stream>>& stream_of_meeting,
                                                   const std::vector<Duration>& times) {
    const std::vector<Node>& nodes = traces.ranks[static_cast<std::size_t>(rank)].nodes;
    std::vector<std::optional<Stream>> streams(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::int32_t meeting = meetings.of[static_cast<std::size_t>(rank)][i];
        if (!stream_of_meeting) {
            if (nodes[i].kind != NodeKind::metadata || is_wait_or_mark(nodes[i])) {
                check_stream(traces, rank, nodes[i]);
                streams[i] = nodes[i].stream;
            }
        } else if (meeting >= 0) {
            streams[i] = (*stream_of_meeting)[static_cast<std::size_t>(meeting)];
        } else if (times[i] > Duration{0}) {
            streams[i] = Stream::main;
        }
    }
    return streams;
}

void require_rising(const Traces& traces, int rank, const Graph& graph) {
    const std::vector<Node>& nodes = traces.ranks[static_cast<std::size_t>(rank)].nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!graph[i].empty() && graph[i].back() > i) {
            refuse_node(
                traces, rank, nodes[i],
                fmt::format("depends on {}, which comes later in the program", describe(nodes[graph[i].back()])));
        }
    }
}

}  // namespace

replay::Replay run(const Traces& traces, const RunOptions& options) {
    require_prices(traces, options.cluster);
    const Meetings meetings = meetings_of(traces);
    std::vector<Graph> graphs;
    std::vector<std::vector<Duration>> times;
    for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank) {
        graphs.push_back(graph_of(traces.ranks[rank], traces.files[rank]));
        times.emplace_back();
        for (const Node& node : traces.ranks[rank].nodes) {
            times.back().push_back(time_of(node, static_cast<int>(rank), options, traces.files[rank]));
        }
    }
    const int ranks = static_cast<int>(traces.ranks.size());
    const bool says = says_streams(traces);
    std::vector<std::vector<std::uint32_t>> orders;
    std::optional<std::vector<Stream>> stream_of_meeting;  // none: the nodes give it
    if (!says) {
        orders = order_of({traces, graphs, times, meetings});
        stream_of_meeting = streams_of(meetings, ranks);
    }
    std::vector<Plan> plans;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const auto streams = streams_of_rank(traces, rank, meetings, stream_of_meeting, times[index]);
        if (says) {
            require_rising(traces, rank, graphs[index]);
            orders.emplace_back(graphs[index].size());
            std::iota(orders.back().begin(), orders.back().end(), 0U);
        }
        plans.push_back(plan_of({graphs[index], streams, orders[index], says}));
        for (Step& step : plans.back()) {
            step.is_awaited = step.is_awaited || is_mark(traces.ranks[index].nodes[step.node]);
        }
    }
    const replay::Recording recording(ranks, [&](GPU& gpu) {
        const auto index = static_cast<std::size_t>(gpu.rank());
        execute(gpu, {traces.ranks[index], times[index], plans[index], meetings});
    });
    Cluster cluster = options.cluster;
    // Measured times from another program already include every slowdown.
    const double overlap = says ? cluster.compute.overlap_slowdown : 1;
    cluster.compute = {.per_flop = picosecond_per_flop, .overlap_slowdown = overlap};
    return recording.replay(
        {.cluster = std::move(cluster), .hash_timeline = options.hash_timeline, .on_span = options.on_span});
}

}  // namespace sim::chakra
