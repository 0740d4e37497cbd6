#include "libsim/interop/chakra/from_program.hpp"

#include "libsim/error.hpp"
#include "libsim/replay/recording.hpp"
#include "libsim/replay/sent_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::chakra {

namespace {

// The size that other simulators get for a size in units: its bytes on this cluster, or one byte per unit.
std::int64_t bytes_for_others(const Cluster& cluster, Size size) {
    return size.measure == Measure::bytes || cluster.bytes_per_unit > 0 ? bytes_of(cluster, size)
                                                                        : ceil_div(size.amount, Units::per_unit);
}

class TraceWriter {
public:
    TraceWriter(const replay::Recording& program, const Cluster& cluster, replay::SentSizes& sizes, int rank)
        : program_(&program), cluster_(&cluster), sizes_(&sizes), rank_(rank) {}

    RankTrace trace() {
        program_->for_each_op(rank_, [this](const Op& op) { take(op); });
        return std::move(trace_);
    }

private:
    void take(const Op& op) {
        replay::require_no_host_clock(rank_, op, "a Chakra trace");
        switch (op.kind) {
            case OpKind::compute: add(op, computation(op)); break;
            case OpKind::send:
            case OpKind::receive: add(op, message(op)); break;
            case OpKind::collective: add(op, collective(op)); break;
            case OpKind::allocate: add(op, {.kind = NodeKind::allocation, .size = Size{op.amount, op.measure}}); break;
            case OpKind::log: add(op, {.kind = NodeKind::log_line}); break;
            case OpKind::checkpoint: checkpoint(op); break;
            case OpKind::wait: wait(op); break;
            case OpKind::record: mark(op); break;
            default: break;
        }
    }

    Node computation(const Op& op) const {
        const Work work{op.amount, op.measure};
        return {.kind = NodeKind::compute,
                .time = compute_time(*cluster_, rank_, work),
                .flops = op.measure == Measure::flops ? op.amount : 0};
    }

    Node message(const Op& op) {
        const bool sends = op.kind == OpKind::send;
        const Op settled = sends ? op : sizes_->settled(rank_, op);
        const Size size{settled.amount, settled.measure};
        Node node{.kind = sends ? NodeKind::send : NodeKind::receive,
                  .peer = op.peer,
                  .tag = op.tag,
                  .in_collective = op.tag < 0};
        take_size(node, size, bytes_for_others(*cluster_, size));
        return node;
    }

    Node collective(const Op& op) {
        const CollectiveWord word = collective_word(op);
        const Group& group = program_->group(word.group);
        if (group.stands_for_another()) {
            throw ProgramError("a trace cannot hold groups that represent larger ones");
        }
        const Size size{op.amount, op.measure};
        const bool is_shard = word.kind == CollectiveKind::all_gather;
        const std::int64_t bytes = bytes_for_others(*cluster_, is_shard ? ceil_div(size, group.size()) : size);
        Node node{.kind = NodeKind::collective,
                  .collective = word.kind,
                  .root = op.peer,
                  .reduction = word.reduction,
                  .algorithm = algorithm_of(op)};
        take_size(node, size, bytes);
        if (is_shard && !node.size && bytes * group.size() != op.amount) {
            node.size = size;
        }
        if (word.group != GroupId::world) {
            node.group = fmt::format("{}", static_cast<std::uint32_t>(word.group));
            trace_.groups[node.group] = group.ranks();
        }
        return node;
    }

    static void take_size(Node& node, Size size, std::int64_t bytes) {
        node.bytes = bytes;
        if (size.measure != Measure::bytes) {
            node.size = size;
        }
    }

    // The program stands still: a computation of that length without FLOPs.
    void checkpoint(const Op& op) {
        if (op.stream != Stream::main) {
            throw ProgramError(fmt::format(
                "rank {} writes a checkpoint beside its program, which a Chakra trace cannot express", rank_));
        }
        if (op.amount > 0) {
            add(op, {.kind = NodeKind::compute, .time = Duration{op.amount}});
        }
    }

    void wait(const Op& op) {
        const std::uint64_t awaited = asynchronous_.at(static_cast<std::size_t>(op.amount));
        add_node({.name = "wait", .kind = NodeKind::metadata, .data_deps = {awaited}}, op.stream);
    }

    void mark(const Op& op) {
        add_node({.name = "mark", .kind = NodeKind::metadata}, op.stream);
        asynchronous_.push_back(trace_.nodes.back().id);
    }

    void add(const Op& op, Node node) {
        node.name = program_->text(op.label);
        add_node(std::move(node), op.stream);
    }

    void add_node(Node node, Stream stream) {
        node.id = trace_.nodes.size();
        node.stream = stream;
        for (const Stream before : {Stream::main, stream}) {
            const auto last = last_.find(before);
            if (last != last_.end() && !depends_on(node, last->second)) {
                node.ctrl_deps.push_back(last->second);
            }
        }
        if (stream == Stream::own) {
            asynchronous_.push_back(node.id);
        } else {
            last_[stream] = node.id;
        }
        trace_.nodes.push_back(std::move(node));
    }

    static bool depends_on(const Node& node, std::uint64_t id) {
        const auto is_among = [id](const std::vector<std::uint64_t>& ids) {
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        };
        return is_among(node.ctrl_deps) || is_among(node.data_deps);
    }

    const replay::Recording* program_;
    const Cluster* cluster_;
    replay::SentSizes* sizes_;
    int rank_;
    RankTrace trace_;
    std::map<Stream, std::uint64_t> last_;     // the last node on each stream
    std::vector<std::uint64_t> asynchronous_;  // node of each asynchronous op
};

}  // namespace

std::vector<RankTrace> traces_of(const replay::Recording& program, const Cluster& cluster) {
    replay::SentSizes sizes(program);
    std::vector<RankTrace> traces;
    for (int rank = 0; rank < program.ranks(); ++rank) {
        traces.push_back(TraceWriter(program, cluster, sizes, rank).trace());
    }
    return traces;
}

}  // namespace sim::chakra
