// The rank state is everything the kernel knows about one rank: its streams, its ops in progress, and its time by
// category.
#pragma once

#include "libsim/kernel/parts/joinables.hpp"
#include "libsim/kernel/parts/streams.hpp"
#include "libsim/trace/span.hpp"

#include <optional>
#include <vector>

namespace sim::kernel {

enum class RankStatus : std::uint8_t { due, out, blocked, finished, lost, halted };

// The payload of a rank's last receive or wait: payload `number` (from 0) of those that `source` sent.
struct Delivery {
    int source = -1;
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
};

// An amount of memory in use, and its peak.
struct HeldMemory {
    std::int64_t now = 0;
    std::int64_t peak = 0;
};

// Time spent by a stream: first idle, waiting for a peer to begin, then busy with messages until `end`.
struct StreamTime {
    Duration idle{0};
    Time end;
    bool in_collective = false;
    bool busy_is_noted = false;  // walks have already noted it, message by message
};

struct RankState {
    StreamState program;
    Time computes_free;
    RankStatus status = RankStatus::due;
    std::uint32_t op_number = 0;  // of the next op
    std::uint32_t payloads = 0;
    std::uint32_t messages = 0;
    Duration computing{0};
    Duration communicating{0};
    Duration idle_in_collectives{0};
    std::int64_t bytes_sent = 0;
    std::int64_t billionths_sent = 0;
    Op pending;  // the op that the program is blocked in
    std::uint32_t pending_number = 0;
    Delivery delivery;
    std::optional<Time> issued_at;  // when other streams get the ops issued; none: at the program's clock
    Joinables joinables;
    std::vector<StreamQueue> queues;  // of stream 1, 2, …
    HeldMemory bytes_held;
    HeldMemory billionths_held;

    // Valid until a new stream is requested.
    StreamState& at(Stream on) { return on == Stream::main ? program : queue(on).state; }
    // Requires: the stream exists.
    const StreamState& at(Stream on) const {
        return on == Stream::main ? program : queues[static_cast<std::size_t>(on) - 1].state;
    }
    StreamQueue& queue(Stream on) {
        const auto index = static_cast<std::size_t>(on) - 1;
        if (index >= queues.size()) [[unlikely]] {
            queues.resize(index + 1);
        }
        return queues[index];
    }
    // The op in which a stream is blocked.
    NumberedOp in(Stream on) const {
        return on == Stream::main ? NumberedOp{pending, pending_number}
                                  : queues[static_cast<std::size_t>(on) - 1].waiting.front().numbered();
    }

    // The time at which another stream gets an op that the program issues now.
    Time issue_time() const { return issued_at.value_or(program.clock); }

    void block(const Op& op, std::uint32_t number) {
        pending = op;
        pending_number = number;
        status = RankStatus::blocked;
    }
    bool is_blocked_in(OpKind kind) const { return status == RankStatus::blocked && pending.kind == kind; }

    // Moves the clock of a stream. The program's time counts as communicating or idle at once, a stream's only when the
    // program waits for it.
    void spend(Stream on, const StreamTime& spent) {
        StreamState& state = at(on);
        if (on == Stream::main) {
            communicating += spent.end - state.clock - spent.idle;
            idle_in_collectives += spent.in_collective ? spent.idle : Duration{0};
        } else {
            note(on, spent);
        }
        state.clock = spent.end;
    }
    // The program waited for `stream` until `end`. The wait counts as idle or computing while the stream was, and
    // otherwise as communicating. At the program's end it counts as computing while any stream was.
    void wait_for_stream(Stream stream, Time end, bool is_at_its_end = false);
    // The stream computed from `begin` to `end`.
    void compute_on(Stream stream, Time begin, Time end);
    // The stream waited for `joined` from `begin` to `end`.
    void wait_on(Stream stream, const Joined& joined, Time begin, Time end);
    // Drops the past of all streams: later queries concern only the future.
    void forget_until_now();
    bool streams_are_done() const;

    // A message of a stream is under way from `time` on; not tracked for the program.
    void begins_busy(Stream on, Time time) {
        if (on != Stream::main) {
            queue(on).busy_since = time;
        }
    }

    void count_message(const Op& op) {
        ++messages;
        add_checked(sent(op.measure), op.amount);
    }
    std::int64_t& sent(Measure measure) { return measure == Measure::units ? billionths_sent : bytes_sent; }
    HeldMemory& held(Measure measure) { return measure == Measure::units ? billionths_held : bytes_held; }
    RankTotals totals(Time run_begin, Time run_end) const;

private:
    void note(Stream on, const StreamTime& spent);
};

}  // namespace sim::kernel
