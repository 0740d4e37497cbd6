#include "libsim/interop/chakra/plan.hpp"

#include <optional>

namespace sim::chakra {

namespace {

// Posts the nodes of one rank; nodes that others wait for leave a handle.
class RankProgram {
public:
    RankProgram(GPU& gpu, const RankWork& work) : gpu_(&gpu), work_(&work), handles_(work.plan.size()) {}

    void run() {
        for (std::size_t i = 0; i < work_->plan.size(); ++i) {
            const Step& step = work_->plan[i];
            if (step.stream == Stream::main) {
                execute(step);
            } else if (step.stream == Stream::own) {
                wait(step);
                handles_[i] = start(work_->trace.nodes[step.node], step.node);
            } else if (static_cast<int>(step.stream) <= most_streams) {
                handles_[i] = on(step);
            } else {
                i = on_channel(i);
            }
        }
    }

private:
    void execute(const Step& step) {
        wait(step);
        post(work_->trace.nodes[step.node], step.node);
    }

    Handle on(const Step& step) {
        const auto work = [&] { execute(step); };
        if (step.is_awaited) {
            return gpu_->on(step.stream, work);
        }
        gpu_->start_on(step.stream, work);
        return {};
    }

    // Channels are numbered after the streams that programs can name (op.hpp). Issues a run of steps for one channel,
    // up to the first that others wait for, and returns the last of these steps.
    std::size_t on_channel(std::size_t first) {
        const Plan& plan = work_->plan;
        std::size_t last = first;
        while (!plan[last].is_awaited && last + 1 < plan.size() && plan[last + 1].stream == plan[first].stream) {
            ++last;
        }
        const int number = static_cast<int>(plan[first].stream) - most_streams - 2;
        const auto of = static_cast<Stream>(number / channels_beside);
        const auto hand_over = [&] {
            handles_[last] = gpu_->on_channel(number % channels_beside + 1, std::nullopt, [&] {
                for (std::size_t i = first; i <= last; ++i) {
                    execute(plan[i]);
                }
            });
        };
        if (of == Stream::main) {
            hand_over();
        } else {
            gpu_->start_on(of, hand_over);
        }
        return last;
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
    // Negative tags, like those of a collective's messages.
    Tag inner_tag_of(std::uint32_t node) const { return Tag{-1 - meeting_number(node)}; }

    void post(const Node& node, std::uint32_t index) {
        const Size size = size_of(node);
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
            case NodeKind::metadata: break;  // only waits
            case NodeKind::allocation: allocate(node); break;
            case NodeKind::log_line: gpu_->log(node.name); break;
            default: gpu_->compute(node.name, work_of(index)); break;
        }
    }

    void allocate(const Node& node) {
        if (node.size->amount >= 0) {
            gpu_->allocate(node.name, *node.size);
        } else {
            gpu_->release(node.name, {-node.size->amount, node.size->measure});
        }
    }

    Handle start(const Node& node, std::uint32_t index) {
        switch (node.kind) {
            case NodeKind::send: return gpu_->send_async(node.peer, node.name, size_of(node), tag_of(index));
            case NodeKind::receive: return gpu_->receive_async(node.peer, node.name, size_of(node), tag_of(index));
            default: return gpu_->compute_async(node.name, work_of(index));
        }
    }

    Work work_of(std::uint32_t index) const { return Flops{work_->times[index].count()}; }

    void join(const Node& node, const Meeting& meeting) {
        const Group& group = work_->meetings.groups[static_cast<std::size_t>(meeting.group)];
        const int root = node.root >= 0 ? node.root : needs_root(node.collective) ? group.rank_at(0) : -1;
        gpu_->collective(group, {.kind = node.collective,
                                 .size = whole_size(node, group.size()),
                                 .root = root,
                                 .reduction = node.reduction,
                                 .config = node.algorithm,
                                 .label = node.name});
    }

    GPU* gpu_;
    const RankWork* work_;
    std::vector<Handle> handles_;
};

}  // namespace

void execute(GPU& gpu, const RankWork& work) {
    RankProgram(gpu, work).run();
}

}  // namespace sim::chakra
