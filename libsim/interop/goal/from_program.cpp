#include "libsim/interop/goal/from_program.hpp"

#include "libsim/error.hpp"
#include "libsim/interop/goal/builder.hpp"
#include "libsim/interop/goal/messages_of.hpp"
#include "libsim/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace sim::goal {

namespace {

// The measure of all sizes: GOAL has only one.
class Sizes {
public:
    explicit Sizes(const Cluster& cluster) : cluster_(&cluster), has_units_(cluster.network->prices_messages()) {}

    std::int64_t of(Size size) {
        if (size.amount == 0) {
            return 0;
        }
        const bool keeps_units = has_units_ && size.measure == Measure::units;
        if (measure_ && *measure_ != (keeps_units ? Measure::units : Measure::bytes)) {
            throw ProgramError("the program's messages count bytes and units; a GOAL schedule has one size");
        }
        measure_ = keeps_units ? Measure::units : Measure::bytes;
        return keeps_units ? size.amount : bytes_of(*cluster_, size);
    }
    Measure measure() const { return measure_.value_or(Measure::bytes); }

private:
    const Cluster* cluster_;
    bool has_units_;
    std::optional<Measure> measure_;
};

// Writes the schedule of one rank. CPUs are streams, and tags are the kernel's: number_streams() makes them GOAL's.
class RankWriter {
public:
    RankWriter(int rank, const Cluster& cluster, Sizes& sizes, ScheduleBuilder& builder)
        : rank_(rank), cluster_(&cluster), sizes_(&sizes), builder_(&builder) {}

    void write(const replay::Recording& program, replay::SentSizes& sent) {
        builder_->begin(static_cast<std::uint32_t>(rank_));
        read_messages(program, sent, rank_, [this](const Op& op) { add(op); });
    }

private:
    using Last = std::optional<OpIndex>;
    struct OnStream {
        Last last;
        Last from;  // the operation of the main stream that its last operation waited for
    };

    void add(const Op& op) {
        replay::require_no_host_clock(rank_, op, "a GOAL schedule");
        switch (op.kind) {
            case OpKind::compute: return put(op, calc(compute_time(*cluster_, rank_, {op.amount, op.measure}).count()));
            case OpKind::send:
            case OpKind::receive: return put(op, message(op));
            case OpKind::wait: return wait(op);
            case OpKind::checkpoint: return op.amount > 0 ? put(op, calc(op.amount)) : void();
            case OpKind::record: return void(marks_.push_back(streams_[op.stream].last));
            default: return;  // takes no time
        }
    }

    static GoalOp calc(std::int64_t picoseconds) { return {.size = picoseconds, .kind = GoalOpKind::calc}; }
    GoalOp message(const Op& op) {
        return {.size = sizes_->of({op.amount, op.measure}),
                .peer = static_cast<std::uint32_t>(op.peer),
                .tag = static_cast<std::uint32_t>(op.tag),
                .kind = op.kind == OpKind::send ? GoalOpKind::send : GoalOpKind::receive};
    }

    void put(const Op& op, GoalOp written) {
        if (is_asynchronous(op)) {
            const OpIndex index = builder_->add(written);
            require(index, program_);
            marks_.push_back(index);
        } else {
            put_on(op.stream, written);
        }
    }

    OpIndex put_on(Stream stream, GoalOp written) {
        written.cpu = static_cast<std::uint8_t>(stream);
        written.nic = written.kind == GoalOpKind::calc ? std::uint8_t{0} : written.cpu;
        const OpIndex index = builder_->add(written);
        if (stream == Stream::main) {
            require(index, program_);
            program_ = index;
            return index;
        }
        OnStream& on = streams_[stream];
        require(index, on.last);
        if (on.from != program_) {
            require(index, program_);
            on.from = program_;
        }
        on.last = index;
        return index;
    }

    void wait(const Op& op) {
        const Last awaited = marks_.at(static_cast<std::size_t>(op.amount));
        if (awaited) {  // otherwise the stream was still empty
            require(put_on(op.stream, calc(0)), awaited);
        }
    }

    void require(OpIndex index, Last first) {
        if (first) {
            builder_->require(index, *first);
        }
    }

    int rank_;
    const Cluster* cluster_;
    Sizes* sizes_;
    ScheduleBuilder* builder_;
    Last program_;
    std::map<Stream, OnStream> streams_;
    std::vector<Last> marks_;  // the operation that ends each asynchronous op, by its number
};

// A stream and a tag, as the kernel matches messages; negative tags are those of collectives.
struct StreamTag {
    std::uint8_t stream;
    std::int32_t tag;

    bool in_collective() const { return tag < 0; }
    bool stays() const { return stream == 0 && tag >= 0; }
    friend auto operator<=>(const StreamTag&, const StreamTag&) = default;
};

StreamTag tag_of(const GoalOp& op) {
    return {op.cpu, static_cast<std::int32_t>(op.tag)};
}

bool has_ends(const GoalOp& op) {
    return op.kind != GoalOpKind::calc;
}

std::map<StreamTag, std::uint32_t> numbers_of(const GoalSchedule& schedule) {
    std::map<StreamTag, std::uint32_t> numbers;
    std::uint32_t next = 0;
    std::uint32_t next_in_collectives = first_collective_tag;
    for (const GoalOp& op : schedule.ops) {
        if (has_ends(op)) {
            numbers[tag_of(op)] = op.tag;
            next = tag_of(op).stays() ? std::max(next, op.tag + 1) : next;
        }
    }
    for (auto& [tag, number] : numbers) {
        if (!tag.stays()) {
            number = tag.in_collective() ? next_in_collectives++ : next++;
        }
    }
    return numbers;
}

// Replaces the kernel's numbers by GOAL's, once all ranks are written: renumbers CPUs, that is streams, to 0, 1, …, and
// tags so that no two streams share one.
void number_streams(GoalSchedule& schedule) {
    std::map<std::uint8_t, std::uint8_t> cpus{{0, 0}};
    for (const GoalOp& op : schedule.ops) {
        cpus[op.cpu] = 0;
    }
    std::uint8_t next = 0;
    for (auto& [stream, cpu] : cpus) {
        cpu = next++;
    }
    const std::map<StreamTag, std::uint32_t> tags = numbers_of(schedule);
    schedule.nics = 1;
    for (GoalOp& op : schedule.ops) {
        if (has_ends(op)) {
            op.tag = tags.at(tag_of(op));
            op.nic = cpus.at(op.cpu);
            schedule.nics = std::max(schedule.nics, op.nic + 1);
        }
        op.cpu = cpus.at(op.cpu);
    }
    schedule.cpus = next;
}

}  // namespace

WrittenProgram write_down(const replay::Recording& program, const Cluster& cluster) {
    ScheduleBuilder builder(static_cast<std::uint32_t>(program.ranks()));
    Sizes sizes(cluster);
    replay::SentSizes sent(program);
    for (int rank = 0; rank < program.ranks(); ++rank) {
        RankWriter(rank, cluster, sizes, builder).write(program, sent);
    }
    WrittenProgram written{.schedule = std::move(builder).build(), .sizes = sizes.measure()};
    number_streams(written.schedule);
    return written;
}

}  // namespace sim::goal
