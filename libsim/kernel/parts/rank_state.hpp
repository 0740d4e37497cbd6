// The rank state is everything the kernel knows about one rank: its streams, its ops in progress, and its time by
// category.
#pragma once

#include "libsim/kernel/parts/joinables.hpp"
#include "libsim/kernel/parts/streams.hpp"
#include "libsim/kernel/parts/transfers.hpp"
#include "libsim/trace/span.hpp"

#include <algorithm>
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
    bool busy_is_noted = false;  // it is noted already, message by message, or not at all
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
    void block(Stream on, NumberedOp at) {
        if (on == Stream::main) {
            block(at.op, at.number);
        }  // any other stream is blocked until its front has ended
    }
    bool is_blocked_in(OpKind kind) const { return status == RankStatus::blocked && pending.kind == kind; }
    // A receive whose message does not fit never ends. False: the stream is blocked in it forever; an asynchronous one
    // blocks nobody until someone waits for it.
    bool never_receive(Stream on, NumberedOp at);
    // The op that a stream waits in, null if it does not wait; and a stream that waits.
    const IssuedOp* waits_in(Stream stream) const;
    Stream waiting_stream() const;

    // The asynchronous op that the program names, which is also `rank`'s op `number`. Throws ProgramError if it is
    // joined already; `what` is the program's verb in the error: "waits".
    Joinable& named(int rank, AsyncId id, std::uint32_t number, const char* what);
    // A mark on the program itself is reached when it is issued, so its end is known at once.
    void mark(const Op& op);
    // An op that is still under way is forgotten once it has ended, because streams may wait for it. Throws
    // ProgramError for a send or a receive, which must be joined.
    void forget(int rank, const Op& op);
    // Throws ProgramError if the rank frees more than it has allocated. Returns the memory then in use.
    std::int64_t allocate(int rank, const Op& op);

    // Moves the clock of a stream. The program's time counts as communicating or idle at once, a stream's only when the
    // program waits for it.
    [[gnu::always_inline]] void spend(Stream on, const StreamTime& spent) {
        StreamState& state = at(on);
        if (on == Stream::main) {
            communicating += spent.end - state.clock - spent.idle;
            idle_in_collectives += spent.in_collective ? spent.idle : Duration{0};
        } else {
            note(on, spent);
        }
        state.clock = spent.end;
    }
    // Moves the program's clock to the end of an op; the wait counts as the kind of work waited for.
    [[gnu::always_inline]] void advance_to_end(const Joinable& joinable, const SendRules& rules, bool is_at_its_end);
    // The program waited for `stream` until `end`. The wait counts as idle or computing while the stream was, and
    // otherwise as communicating. At the program's end it counts as computing while any stream was.
    void wait_for_stream(Stream stream, Time end, bool is_at_its_end = false);
    // The stream computed from `begin` to `end`.
    void compute_on(Stream stream, Time begin, Time end);
    // A stream reaches a wait of its own. False: the op that it waits for is still under way.
    bool wait_on_stream(const IssuedOp& issued);
    // Drops the past of all streams: later queries concern only the future.
    void forget_until_now();
    bool streams_are_done() const;

    // A message of a stream is under way from `time` on; not tracked for the program.
    void begins_busy(Stream on, Time time) {
        if (on != Stream::main) {
            queue(on).busy_since = time;
        }
    }
    // The same for the messages of a collective on shared links, of which several may be under way at once.
    void walk_message_begins(Stream on, Time time) {
        if (on != Stream::main && at(on).walking.messages++ == 0) {
            begins_busy(on, time);
        }
    }
    void walk_message_ends(Stream on, Time time) {
        if (on != Stream::main && --at(on).walking.messages == 0) {
            StreamQueue& of = queue(on);
            // After a computation, a stream may be ahead of the message that it then finds.
            of.busy.note(std::min(*of.busy_since, time), time);
            of.busy_since.reset();
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
    // The stream waited for `joined` from `begin` to `end`.
    void note_wait(Stream stream, const Joined& joined, Time begin, Time end);
};

inline void RankState::advance_to_end(const Joinable& joinable, const SendRules& rules, bool is_at_its_end) {
    if (joinable.op.kind == OpKind::record) {
        if (joinable.op.stream != Stream::main) {
            wait_for_stream(joinable.op.stream, joinable.end, is_at_its_end);
        }
        return;
    }
    const Time begin = program.clock;
    const Time end = std::max(begin, joinable.end);
    program.clock = end;
    const bool is_send = joinable.op.kind == OpKind::send;
    if (joinable.op.kind == OpKind::compute) {
        computing += end - begin;
    } else if (!is_send || !rules.times_ends) {
        // A rank waiting for its own sends counts as communicating while they transmit, and as idle while they wait for
        // the receiver. A rank waiting for a message is idle until the sender begins.
        const Time transfer = joinable.op.kind == OpKind::receive ? joinable.message.begin : begin;
        const Time sent = is_send && rules.may_hold ? std::clamp(joinable.message.end, begin, end) : end;
        communicating += sent - std::clamp(transfer, begin, sent);
    }
}

// All ranks of a run, by rank.
class Ranks {
public:
    explicit Ranks(int ranks) : all_(static_cast<std::size_t>(ranks)) {}

    int size() const { return static_cast<int>(all_.size()); }
    RankState& operator[](int rank) { return all_[static_cast<std::size_t>(rank)]; }
    const RankState& operator[](int rank) const { return all_[static_cast<std::size_t>(rank)]; }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

private:
    std::vector<RankState> all_;
};

}  // namespace sim::kernel
