#include "libsim/kernel/rank_state.hpp"

#include <algorithm>

namespace sim::kernel {

void RankState::note(Stream on, const StreamTime& spent) {
    StreamQueue& at = queue(on);
    const Time busy_from = at.state.clock + spent.idle;
    at.idle.note(at.state.clock, busy_from);
    if (!spent.busy_is_noted) {
        at.busy.note(busy_from, spent.end);
    }
}

void RankState::wait_for_stream(Stream stream, Time end) {
    if (end > program.clock) {
        const Duration idle = queue(stream).idle.covered({program.clock, end});
        // Waiting for each other is what streams are for.
        spend(Stream::main, {.idle = idle, .end = end, .in_collective = true});
    }
    forget_until_now();
}

void RankState::forget_until_now() {
    for (StreamQueue& at : queues) {
        at.idle.forget_until(program.clock);
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
