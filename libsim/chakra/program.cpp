#include "libsim/chakra/program.hpp"

#include <optional>

namespace sim::chakra {

namespace {

// Posts the nodes of one rank; those that others wait for leave a handle.
class RankProgram {
public:
    RankProgram(GPU& gpu, const RankWork& work) : gpu_(&gpu), work_(&work), handles_(work.plan.size()) {}

    void run() {
        for (std::size_t i = 0; i < work_->plan.size(); ++i) {
            const Step& step = work_->plan[i];
            const Node& node = work_->trace.nodes[step.node];
            if (step.stream == Stream::main) {
                wait(step);
                post(node, step.node);
            } else if (step.stream == Stream::own) {
                wait(step);
                handles_[i] = start(node, step.node);
            } else if (static_cast<int>(step.stream) <= most_streams) {
                handles_[i] = on(step);
            } else {
                handles_[i] = on_channel(step);
            }
        }
    }

private:
    Handle on(const Step& step) {
        const auto work = [&] {
            wait(step);
            post(work_->trace.nodes[step.node], step.node);
        };
        if (step.is_awaited) {
            return gpu_->on(step.stream, work);
        }
        gpu_->start_on(step.stream, work);
        return {};
    }

    // Channels lie behind the streams that programs name (op.hpp).
    Handle on_channel(const Step& step) {
        const int number = static_cast<int>(step.stream) - most_streams - 2;
        const auto of = static_cast<Stream>(number / channels_beside);
        const int channel = number % channels_beside + 1;
        const auto work = [&] {
            wait(step);
            post(work_->trace.nodes[step.node], step.node);
        };
        if (of == Stream::main) {
            return gpu_->on_channel(channel, std::nullopt, work);
        }
        Handle handle;
        gpu_->start_on(of, [&] { handle = gpu_->on_channel(channel, std::nullopt, work); });
        return handle;
    }

    void wait(const Step& step) {
        for (const std::uint32_t other : step.waits) {
            gpu_->wait(handles_[other]);
        }
    }

    const Meeting& meeting_of(std::uint32_t node) const {
        const auto number = static_cast<std::size_t>(meeting_number(node));
        return work_->meetings.all[number];
    }
    std::int32_t meeting_number(std::uint32_t node) const {
        return work_->meetings.of[static_cast<std::size_t>(gpu_->rank())][node];
    }
    Tag tag_of(std::uint32_t node) const { return Tag{meeting_number(node)}; }
    // Below 0, as those of a collective's messages are.
    Tag inner_tag_of(std::uint32_t node) const { return Tag{-1 - meeting_number(node)}; }

    static Size size_of_message(const Node& node) { return node.size.value_or(Size{Bytes{node.bytes}}); }

    void post(const Node& node, std::uint32_t index) {
        const Size size = size_of_message(node);
        switch (node.kind) {
            case NodeKind::send:
                if (node.in_collective) {
                    gpu_->send_in_collective(node.peer, {}, node.name, size, inner_tag_of(index));
                } else {
                    gpu_->send(node.peer, node.name, size, tag_of(index));
                }
                break;
            case NodeKind::receive:
                if (node.in_collective) {
                    gpu_->receive_in_collective(node.peer, {}, node.name, size, inner_tag_of(index));
                } else {
                    gpu_->receive(node.peer, node.name, size, tag_of(index));
                }
                break;
            case NodeKind::collective: join(node, meeting_of(index)); break;
            default: gpu_->compute(node.name, work_of(index)); break;
        }
    }

    Handle start(const Node& node, std::uint32_t index) {
        switch (node.kind) {
            case NodeKind::send: return gpu_->send_async(node.peer, node.name, size_of_message(node), tag_of(index));
            case NodeKind::receive:
                return gpu_->receive_async(node.peer, node.name, size_of_message(node), tag_of(index));
            default: return gpu_->compute_async(node.name, work_of(index));
        }
    }

    Work work_of(std::uint32_t index) const { return Flops{work_->times[index].count()}; }

    void join(const Node& node, const Meeting& meeting) {
        const Group& group = work_->meetings.groups[static_cast<std::size_t>(meeting.group)];
        Size size = size_of_message(node);
        // Chakra counts the shard of each member, ndsim the result.
        if (node.collective == CollectiveKind::all_gather && !node.size) {
            size = whole_of(node, group);
        }
        const int root = node.root >= 0 ? node.root : needs_root(node.collective) ? group.rank_at(0) : -1;
        gpu_->collective(group, {.kind = node.collective,
                                 .size = size,
                                 .root = root,
                                 .reduction = node.reduction,
                                 .config = node.algorithm,
                                 .label = node.name});
    }

    static Size whole_of(const Node& shard, const Group& group) {
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(shard.bytes, static_cast<std::int64_t>(group.size()), &bytes)) {
            throw_count_overflow();
        }
        return Bytes{bytes};
    }

    GPU* gpu_;
    const RankWork* work_;
    std::vector<Handle> handles_;
};

}  // namespace

void carry_out(GPU& gpu, const RankWork& work) {
    RankProgram(gpu, work).run();
}

}  // namespace sim::chakra
