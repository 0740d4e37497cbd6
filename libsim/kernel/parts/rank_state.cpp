#include "libsim/kernel/parts/rank_state.hpp"

#include <algorithm>

namespace sim::kernel {

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

void RankState::wait_on(Stream stream, const Joined& joined, Time begin, Time end) {
    StreamQueue& at = queue(stream);
    const auto note_parts = [&](Intervals& own, const Intervals& of_other) {
        for (auto part = of_other.after(begin); part != of_other.end() && part->begin < end; ++part) {
            own.note_after(program.clock, std::max(part->begin, begin), std::min(part->end, end));
        }
    };
    if (joined.computes) {
        at.computing.note_after(program.clock, begin, end);
    } else if (joined.stream != Stream::own && joined.stream != Stream::main && joined.stream != stream) {
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
