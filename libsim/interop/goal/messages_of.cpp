#include "libsim/interop/goal/messages_of.hpp"

#include "libsim/collectives/data_reader.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace sim::goal {

namespace {

// Forwards what a GPU posts, without answers.
class HandingPort final : public Port {
public:
    HandingPort(int rank, int ranks, const std::function<void(Op)>& take) : Port(rank, ranks), take_(&take) {
        next_ = room_.data();
        end_ = next_ + room_.size();
    }

    Answer ask(Op) override { return {}; }
    Label intern(std::string_view) override { return Label::none; }
    GroupId number(const Group&) override { return GroupId::world; }
    void write(std::span<const std::byte>) override {}
    void read(std::span<std::byte>) override {}
    std::vector<std::span<const std::byte>> gathered() override { return {}; }
    void report(Label, std::span<const double>) override {}

    void make_room() override {
        for (const Op* op = room_.data(); op != next_; ++op) {
            (*take_)(*op);
        }
        next_ = room_.data();
    }

private:
    const std::function<void(Op)>* take_;
    std::array<Op, 64> room_;
};

class MessageReader {
public:
    MessageReader(const replay::Recording& program, replay::SentSizes& sizes, int rank,
                  const std::function<void(const Op&)>& take)
        : program_(&program), sizes_(&sizes), rank_(rank), take_(&take) {}

    void read() {
        program_->for_each_op(rank_, [this](const Op& op) {
            if (op.kind == OpKind::collective) {
                read_collective(op);
            } else {
                give(op.kind == OpKind::receive ? sizes_->settled(rank_, op) : op, numbers_);
            }
        });
    }

private:
    // `numbers`: those that its waits refer to, renumbered.
    void give(Op op, std::vector<std::int64_t>& numbers) {
        if (op.kind == OpKind::wait) {
            op.amount = numbers.at(static_cast<std::size_t>(op.amount));
        } else if (is_asynchronous(op) || op.kind == OpKind::record) {
            numbers.push_back(next_number_++);
        }
        (*take_)(op);
    }

    void read_collective(const Op& op) {
        const CollectiveWord word = collective_word(op);
        const Group& group = program_->group(word.group);
        if (group.stands_for_another()) {
            throw ProgramError(
                fmt::format("rank {}: the {} of its group of {} stands for one of {}, whose other ranks have no "
                            "messages",
                            rank_, name_of(word.kind), group.size(), group.whole().size()));
        }
        const Schedule schedule = schedule_of(op, group);
        std::vector<std::int64_t> numbers;
        const std::function<void(Op)> take = [&](const Op& message) { give(message, numbers); };
        HandingPort port(rank_, program_->ranks(), take);
        GPU gpu(port);
        const auto carry_out_here = [&] { execute(gpu, group, schedule, Size{op.amount, op.measure}, {}); };
        if (op.stream == Stream::main) {
            carry_out_here();
        } else {
            gpu.start_on(op.stream, carry_out_here);
        }
        port.make_room();
    }

    const replay::Recording* program_;
    replay::SentSizes* sizes_;
    int rank_;
    const std::function<void(const Op&)>* take_;
    std::vector<std::int64_t> numbers_;
    std::int64_t next_number_ = 0;
};

}  // namespace

void read_messages(const replay::Recording& program, replay::SentSizes& sizes, int rank,
                   const std::function<void(const Op&)>& take) {
    MessageReader(program, sizes, rank, take).read();
}

}  // namespace sim::goal
