#include "libsim/kernel/parts/rank_state.hpp"

#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

bool RankState::never_receive(Stream on, NumberedOp at) {
    if (is_asynchronous(at.op)) {
        joinables.add({.op = at.op, .op_number = at.number, .begin = this->at(on).clock});
        return true;
    }
    block(on, at);
    return false;
}

const IssuedOp* RankState::waits_in(Stream stream) const {
    const std::size_t index = static_cast<std::size_t>(stream) - 1;  // huge for the program
    return index < queues.size() && queues[index].blocked ? &queues[index].waiting.front() : nullptr;
}

Stream RankState::waiting_stream() const {
    const auto waits = std::find_if(queues.begin(), queues.end(), [](const StreamQueue& at) { return at.blocked; });
    return static_cast<Stream>(waits - queues.begin() + 1);
}

Joinable& RankState::named(int rank, AsyncId id, std::uint32_t number, const char* what) {
    Joinable* const joinable = joinables.find_named(id);
    if (joinable == nullptr) {
        throw ProgramError(
            fmt::format("rank {}, op {}: {} at {} for its asynchronous op {}, which it has already joined", rank,
                        number, what, describe_time(program.clock), static_cast<std::int64_t>(id)));
    }
    return *joinable;
}

void RankState::mark(const Op& op) {
    const Time now = program.clock;
    joinables.add({.op = op, .op_number = op_number, .done = true, .begin = now, .end = now});
}

void RankState::forget(int rank, const Op& op) {
    Joinable& joinable = named(rank, awaited_by(op), op_number, "has no use");
    if (joinable.op.kind != OpKind::record && joinable.op.kind != OpKind::compute) {
        throw ProgramError(
            fmt::format("rank {}: an asynchronous {} must be joined: only marks and computations can be forgotten",
                        rank, describe(joinable.op)));
    }
    joinable.forgotten = true;
    if (joinable.done) {
        joinables.note_joined(joinable);
        joinables.drop_joined();
    }
}

std::int64_t RankState::allocate(int rank, const Op& op) {
    HeldMemory& memory = held(op.measure);
    if (__builtin_add_overflow(memory.now, op.amount, &memory.now)) {
        throw ProgramError(fmt::format("rank {} allocates at {} more memory than 64 bits can count", rank,
                                       describe_time(program.clock)));
    }
    if (memory.now < 0) {
        throw ProgramError(fmt::format("rank {} frees at {} {} more than it has allocated", rank,
                                       describe_time(program.clock), describe_amount(-memory.now, op.measure)));
    }
    memory.peak = std::max(memory.peak, memory.now);
    return memory.now;
}

bool RankState::wait_on_stream(const IssuedOp& issued) {
    if (issued.awaits) {
        return false;
    }
    StreamState& state = at(issued.op.stream);
    const Time end = std::max(state.clock, issued.until);
    note_wait(issued.op.stream, issued.joined, state.clock, end);
    state.clock = end;
    return true;
}

void RankState::note(Stream on, const StreamTime& spent) {
    StreamQueue& at = queue(on);
    const Time busy_from = at.state.clock + spent.idle;
    at.idle.note_after(program.clock, at.state.clock, busy_from);
    if (!spent.busy_is_noted) {
        at.busy.note_after(program.clock, busy_from, spent.end);
    }
}

void RankState::compute_on(Stream stream, Time begin, Time end) {
    StreamQueue& at = queue(stream);
    at.computing.note_after(program.clock, begin, end);
    at.state.clock = end;
}

void RankState::note_wait(Stream stream, const Joined& joined, Time begin, Time end) {
    StreamQueue& at = queue(stream);
    const auto note_parts = [&](Intervals& own, const Intervals& of_other) {
        for (auto part = of_other.after(begin); part != of_other.end() && part->begin < end; ++part) {
            own.note_after(program.clock, std::max(part->begin, begin), std::min(part->end, end));
        }
    };
    if (joined.computes) {
        at.computing.note_after(program.clock, begin, end);
    } else if (joined.stream != Stream::own && joined.stream != Stream::main && joined.stream != stream) {
        // A wait for another stream is whatever that stream did meanwhile.
        const StreamQueue& other = queue(joined.stream);
        note_parts(at.idle, other.idle);
        note_parts(at.computing, other.computing);
    }
}

void RankState::wait_for_stream(Stream stream, Time end, bool is_at_its_end) {
    if (end > program.clock) {
        const Interval waited{program.clock, end};
        const StreamQueue& at = queue(stream);
        Duration idle = at.idle.covered(waited);
        Duration computed = at.computing.covered(waited);
        if (is_at_its_end) {
            std::vector<Interval> parts;
            for (const StreamQueue& each : queues) {
                parts.insert(parts.end(), each.computing.begin(), each.computing.end());
            }
            const Intervals all = joined(std::move(parts));
            computed = all.covered(waited);
            idle -= covered_by_both(at.idle, all, waited);
        }
        computing += computed;
        communicating += end - program.clock - idle - computed;
        idle_in_collectives += idle;  // streams wait for peers, as members of a collective do
        program.clock = end;
    }
    forget_until_now();
}

void RankState::forget_until_now() {
    for (StreamQueue& at : queues) {
        at.idle.forget_until(program.clock);
        at.computing.forget_until(program.clock);
        at.busy.forget_until(program.clock);
    }
}

bool RankState::streams_are_done() const {
    return std::all_of(queues.begin(), queues.end(), [](const StreamQueue& at) { return at.waiting.empty(); });
}

RankTotals RankState::totals(Time run_begin, Time run_end) const {
    return {.compute = computing,
            .communication = communicating,
            .idle = (run_end - run_begin) - computing - communicating,
            .idle_in_collectives = idle_in_collectives,
            .end = program.clock,
            .bytes_sent = bytes_sent,
            .billionths_sent = billionths_sent,
            .messages_sent = messages,
            .peak_bytes = bytes_held.peak,
            .peak_billionths = billionths_held.peak,
            .ops = op_number};
}

}  // namespace sim::kernel
