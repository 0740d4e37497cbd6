#include "libsim/interop/goal/to_program.hpp"

#include "libsim/interop/goal/from_program.hpp"
#include "libsim/interop/goal/issue_order.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <unordered_map>

namespace sim::goal {

namespace {

bool only_waits(const GoalOp& op) {
    return op.kind == GoalOpKind::calc && op.size == 0;
}

// Issues the operations of one rank.
class RankProgram {
public:
    RankProgram(const GoalSchedule& schedule, const GoalUnits& units, GPU& gpu)
        : schedule_(schedule),
          units_(units),
          gpu_(gpu),
          issue_(schedule, schedule.ranks[static_cast<std::size_t>(gpu.rank())]) {}

    void run() {
        find_what_blocks();
        for (const OpIndex op : issue_.order()) {
            if (schedule_.ops[op].cpu == 0) {
                run_in_program(op);
            } else {
                run_on_stream(op);
            }
        }
    }

private:
    // The relation of an operation of the program to later ones. Operations of streams get an entry when they are
    // joined.
    enum class Way { blocks, asynchronous, joins, joined };

    void find_what_blocks();
    void run_in_program(OpIndex op);
    void run_on_stream(OpIndex op);
    void join(OpIndex op);
    void wait_on_stream(OpIndex op, std::uint8_t cpu);
    void begin(OpIndex op);
    Handle begin_asynchronous(OpIndex op);
    bool is_awaited_elsewhere(OpIndex op) const;
    Work work_of(OpIndex op) const;
    Size size_of(const GoalOp& op) const { return {op.size, units_.sizes}; }
    bool is_joined(OpIndex op) const {
        const auto way = ways_.find(op);
        return way != ways_.end() && (way->second == Way::blocks || way->second == Way::joined);
    }
    template <class Visit>
    void for_each_awaited(OpIndex op, Visit visit) const {
        for (const Required required : issue_.required_by(op)) {
            if (!required.start_only) {
                visit(required.op);
            }
        }
    }

    const GoalSchedule& schedule_;
    const GoalUnits& units_;
    GPU& gpu_;
    IssueOrder issue_;
    std::unordered_map<OpIndex, Way> ways_;
    std::unordered_map<OpIndex, Handle> handles_;  // handles of operations that others wait for
};

// An operation blocks if the program's next one waits for its end, and no operation waits for its start alone.
void RankProgram::find_what_blocks() {
    OpIndex before = 0;
    bool is_first = true;
    for (const OpIndex op : issue_.order()) {
        if (schedule_.ops[op].cpu != 0) {
            continue;
        }
        if (!is_first) {
            const auto dependents = schedule_.dependents_of(before);
            bool blocks = dependents.empty() || !dependents.front().on_start();
            bool is_awaited = false;
            for_each_awaited(op, [&](OpIndex first) { is_awaited = is_awaited || first == before; });
            blocks = blocks && is_awaited;
            ways_[before] = blocks ? Way::blocks : only_waits(schedule_.ops[before]) ? Way::joins : Way::asynchronous;
        }
        is_first = false;
        before = op;
    }
    if (!is_first) {
        ways_[before] = Way::blocks;
    }
}

void RankProgram::run_in_program(OpIndex op) {
    const Way way = ways_.at(op);
    if (way == Way::joins) {
        return;  // its dependents wait directly for what it waits for
    }
    for_each_awaited(op, [this](OpIndex first) { join(first); });
    if (only_waits(schedule_.ops[op])) {
        return;
    }
    if (way == Way::blocks) {
        begin(op);
    } else {
        handles_[op] = begin_asynchronous(op);
    }
}

// Makes the program wait for the end of `op`.
void RankProgram::join(OpIndex op) {
    if (is_joined(op)) {
        return;
    }
    const auto way = ways_.find(op);
    if (way != ways_.end() && way->second == Way::joins) {
        for_each_awaited(op, [this](OpIndex first) { join(first); });
    } else {
        gpu_.wait(handles_.at(op));
    }
    ways_[op] = Way::joined;
}

void RankProgram::run_on_stream(OpIndex op) {
    const GoalOp& what = schedule_.ops[op];
    const auto dependents = schedule_.dependents_of(op);
    if (!dependents.empty() && dependents.front().on_start()) {
        throw NoProgram(op, fmt::format("is waited for when it starts (irequires), on CPU {}; only operations of CPU 0 "
                                        "can be",
                                        what.cpu));
    }
    const auto work = [&] {
        for_each_awaited(op, [&](OpIndex first) { wait_on_stream(first, what.cpu); });
        if (!only_waits(what)) {
            begin(op);
        }
    };
    const Stream stream{what.cpu};
    if (is_awaited_elsewhere(op)) {
        handles_[op] = gpu_.on(stream, work);
    } else {
        gpu_.start_on(stream, work);
    }
}

bool RankProgram::is_awaited_elsewhere(OpIndex op) const {
    const auto dependents = schedule_.dependents_of(op);
    return std::any_of(dependents.begin(), dependents.end(),
                       [&](Dependent dependent) { return schedule_.ops[dependent.op()].cpu != schedule_.ops[op].cpu; });
}

// Makes the current stream, that of `cpu`, wait for the end of `op`.
void RankProgram::wait_on_stream(OpIndex op, std::uint8_t cpu) {
    if (schedule_.ops[op].cpu == cpu || is_joined(op)) {
        return;
    }
    const auto way = ways_.find(op);
    if (way != ways_.end() && way->second == Way::joins) {
        for_each_awaited(op, [&](OpIndex first) { wait_on_stream(first, cpu); });
    } else {
        gpu_.wait(handles_.at(op));
    }
}

Work RankProgram::work_of(OpIndex op) const {
    std::int64_t picoseconds = 0;
    if (__builtin_mul_overflow(schedule_.ops[op].size, units_.time.count(), &picoseconds)) {
        throw NoProgram(op, "takes more than 2^63 ps");
    }
    return Flops{picoseconds};
}

void RankProgram::begin(OpIndex op) {
    const GoalOp& what = schedule_.ops[op];
    const int peer = static_cast<int>(what.peer);
    const Tag tag{static_cast<std::int32_t>(what.tag)};
    const bool in_collective = what.tag >= first_collective_tag;
    switch (what.kind) {
        case GoalOpKind::calc: return gpu_.compute(work_of(op));
        case GoalOpKind::send:
            return in_collective ? gpu_.send_in_collective(peer, {}, {}, size_of(what), tag)
                                 : gpu_.send(peer, size_of(what), tag);
        case GoalOpKind::receive:
            return in_collective ? gpu_.receive_in_collective(peer, {}, {}, size_of(what), tag)
                                 : gpu_.receive(peer, size_of(what), tag);
    }
}

Handle RankProgram::begin_asynchronous(OpIndex op) {
    const GoalOp& what = schedule_.ops[op];
    const int peer = static_cast<int>(what.peer);
    if (what.kind != GoalOpKind::calc && what.tag >= first_collective_tag) {
        throw NoProgram(op, fmt::format("has tag {}, of a message within a collective, which the next operation has to "
                                        "wait for; asynchronous messages have tags below {}",
                                        what.tag, first_collective_tag));
    }
    const Tag tag{static_cast<std::int32_t>(what.tag)};
    switch (what.kind) {
        case GoalOpKind::calc: return gpu_.compute_async({}, work_of(op));
        case GoalOpKind::send: return gpu_.send_async(peer, size_of(what), tag);
        case GoalOpKind::receive: return gpu_.receive_async(peer, size_of(what), tag);
    }
    return {};
}

void check_messages(const GoalSchedule& schedule) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, OpIndex> first;  // by sender, receiver and tag
    for (OpIndex index = 0; index < schedule.ops.size(); ++index) {
        const GoalOp& op = schedule.ops[index];
        if (op.kind == GoalOpKind::calc) {
            continue;
        }
        if (op.peer == any || op.tag == any) {
            throw NoProgram(index, op.peer == any ? "receives from any rank" : "has any tag");
        }
        if (op.cpu > most_streams) {
            throw NoProgram(index, fmt::format("is on CPU {}; ranks have CPUs 0 to {}", op.cpu, most_streams));
        }
        if (schedule.cpus == 1) {
            continue;
        }
        const bool sends = op.kind == GoalOpKind::send;
        const auto [other, is_new] =
            first.try_emplace({sends ? op.rank : op.peer, sends ? op.peer : op.rank, op.tag}, index);
        if (!is_new && schedule.ops[other->second].cpu != op.cpu) {
            throw NoProgram(index, fmt::format("is on CPU {}, and another operation with this tag between these ranks "
                                               "on CPU {}; both ends of a message name the same one",
                                               op.cpu, schedule.ops[other->second].cpu));
        }
    }
}

}  // namespace

Cluster with_time_as_work(Cluster cluster) {
    cluster.compute.per_flop = Pace{1, 1};
    cluster.compute.slowdown.clear();
    return cluster;
}

Program program_of(const GoalSchedule& schedule, const GoalUnits& units) {
    check_messages(schedule);
    return [&schedule, units](GPU& gpu) { RankProgram(schedule, units, gpu).run(); };
}

}  // namespace sim::goal
