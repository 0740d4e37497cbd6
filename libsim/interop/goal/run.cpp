#include "libsim/interop/goal/run.hpp"

#include "libsim/interop/goal/dependencies.hpp"
#include "libsim/interop/goal/event_heap.hpp"
#include "libsim/interop/goal/meeting.hpp"
#include "libsim/interop/goal/span_recorder.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace sim::goal {

namespace {

// In Event::what: the message of that send, rather than the send itself.
constexpr std::uint32_t is_message = 1U << 31U;

[[noreturn]] void throw_overflow() {
    throw std::overflow_error("the time of the schedule leaves its range, 2^63 units");
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        throw_overflow();
    }
    return sum;
}

std::int64_t cost_of(std::int64_t bytes, const Pace& pace) {
    if (pace.amount != 1) {
        return time_for(bytes, pace).count();
    }
    std::int64_t product = 0;
    if (__builtin_mul_overflow(bytes, pace.picoseconds, &product)) {
        throw_overflow();
    }
    return product;
}

// The bytes after the first, which are charged per byte.
std::int64_t further_bytes(const GoalOp& op) {
    return std::max<std::int64_t>(op.size - 1, 0);
}

class GoalRun {
public:
    GoalRun(const GoalSchedule& schedule, const LogGP& costs, Charge charge, SpanRecorder* spans);

    GoalOutcome outcome();

private:
    // The receives and messages that wait at a rank. `late` holds receives that are due but not yet queued, by time:
    // while no message waits at the rank and no operation waits for their start, they need not be queued until the next
    // message or receive. All are later than the latest event at the time when they were added.
    static constexpr std::size_t most_late = 16;
    struct Waiting {
        std::vector<Event> late;
        std::uint32_t receives = 0;  // waiting in meeting_
        std::uint32_t messages = 0;
    };

    std::int64_t* clocks_of(std::uint32_t rank) { return clocks_.data() + rank * stride_; }
    std::int64_t& cpu(std::uint32_t rank, int number) { return clocks_of(rank)[number]; }
    std::int64_t& sending(std::uint32_t rank, int nic) { return clocks_of(rank)[schedule_.cpus + nic]; }
    std::int64_t& receiving(std::uint32_t rank, int nic) {
        return clocks_of(rank)[schedule_.cpus + schedule_.nics + nic];
    }

    void begin();
    void step();
    // Returns whether the top of the queue must wait; if not, removes it.
    bool waits_until(std::int64_t ready);
    void do_calc(const GoalOp& op);
    void do_send(OpIndex index, const GoalOp& op);
    void do_receive(OpIndex index, const GoalOp& op);
    void do_message(OpIndex send, const GoalOp& op);
    bool take_message(const GoalOp& send, const GoalOp& payer);
    void end_rendezvous(const GoalOp& send, const GoalOp& payer);
    OpIndex index_of(const GoalOp& op) const { return static_cast<OpIndex>(&op - schedule_.ops.data()); }

    void done(const GoalOp& op) {
        --left_;
        dependencies_.done(op);
    }
    void push_free();
    void push_receive(const Event& event, const GoalOp& receive);
    void post_late(Waiting& waiting, UnsignedWide until);
    OpIndex take_late(Waiting& waiting, const GoalOp& send);
    OpIndex meet(OpIndex send, const GoalOp& op);
    void push(std::uint32_t what, std::int64_t at) { events_.push({what, next_number_++, at}); }

    const GoalSchedule& schedule_;
    const LogGP costs_;
    const Charge charge_;
    const std::size_t stride_;
    EventHeap events_;
    Meeting meeting_;
    Dependencies dependencies_;
    std::vector<std::int64_t> clocks_;  // per rank: CPUs, sending sides, receiving sides
    std::vector<Waiting> waiting_;      // by rank
    std::vector<OpIndex> partner_;      // Charge::match: the receive that each message has met
    std::size_t left_;                  // operations that have not ended
    std::uint32_t next_number_ = 0;
    Event now_;                // the current event
    UnsignedWide latest_ = 0;  // the latest event so far: now_ may be earlier
    SpanRecorder* spans_;      // null: no spans are recorded
};

GoalRun::GoalRun(const GoalSchedule& schedule, const LogGP& costs, Charge charge, SpanRecorder* spans)
    : schedule_(schedule),
      costs_(costs),
      charge_(charge),
      stride_(static_cast<std::size_t>(schedule.cpus + 2 * schedule.nics)),
      meeting_(schedule),
      dependencies_(schedule),
      clocks_(stride_ * schedule.ranks.size()),
      waiting_(schedule.ranks.size()),
      partner_(charge == Charge::match ? schedule.ops.size() : 0, no_op),
      left_(schedule.ops.size()),
      spans_(spans) {}

GoalOutcome GoalRun::outcome() {
    begin();
    while (!events_.empty()) {
        step();
    }
    if (spans_ != nullptr) [[unlikely]] {
        spans_->finish();
    }
    for (Waiting& waiting : waiting_) {
        post_late(waiting, ~UnsignedWide{0});
    }
    GoalOutcome outcome;
    for (std::uint32_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
        const std::int64_t* const clocks = clocks_of(rank);
        outcome.rank_finish.push_back(*std::max_element(clocks, clocks + schedule_.cpus));
    }
    auto [receives, messages] = meeting_.waiting();
    outcome.waiting = std::move(receives);
    const auto is_rendezvous = [&](OpIndex send) { return schedule_.ops[send].size > costs_.eager_limit.count; };
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(outcome.waiting), is_rendezvous);
    std::sort(outcome.waiting.begin(), outcome.waiting.end());
    outcome.unreceived = std::move(messages);
    for (OpIndex op = 0; left_ > outcome.waiting.size() && op < schedule_.ops.size(); ++op) {
        if (dependencies_.waits(op)) {
            outcome.blocked.push_back(op);
        }
    }
    return outcome;
}

void GoalRun::begin() {
    for (const OpRange range : schedule_.ranks) {
        for (OpIndex op = range.begin; op < range.end; ++op) {
            if (!dependencies_.waits(op)) {
                dependencies_.free(op);
            }
        }
        push_free();
    }
}

void GoalRun::step() {
    now_ = events_.top();
    latest_ = std::max(latest_, key_of(now_));
    const OpIndex index = now_.what & ~is_message;
    const GoalOp& op = schedule_.ops[index];
    if ((now_.what & is_message) != 0) {
        do_message(index, op);
    } else if (op.kind == GoalOpKind::calc) {
        do_calc(op);
    } else if (op.kind == GoalOpKind::send) {
        do_send(index, op);
    } else {
        do_receive(index, op);
    }
    push_free();
}

bool GoalRun::waits_until(std::int64_t ready) {
    if (ready > now_.at) {
        events_.delay(ready);
        return true;
    }
    events_.pop();
    return false;
}

void GoalRun::do_calc(const GoalOp& op) {
    std::int64_t& clock = cpu(op.rank, op.cpu);
    if (waits_until(clock)) {
        return;
    }
    clock = plus(now_.at, op.size);
    if (spans_ != nullptr) [[unlikely]] {
        spans_->calc(index_of(op), {now_.at, clock});
    }
    dependencies_.started(op);
    done(op);
}

void GoalRun::do_send(OpIndex index, const GoalOp& op) {
    std::int64_t& clock = cpu(op.rank, op.cpu);
    std::int64_t& side = sending(op.rank, op.nic);
    if (waits_until(std::max(clock, side))) {
        return;
    }
    dependencies_.started(op);
    const std::int64_t further = further_bytes(op);
    const std::int64_t sent = plus(now_.at, costs_.overhead.count());
    clock = plus(sent, cost_of(further, costs_.overhead_per_byte));
    side = plus(plus(now_.at, costs_.gap.count()), cost_of(further, costs_.gap_per_byte));
    push(index | is_message, plus(sent, costs_.latency.count()));
    const bool is_eager = op.size <= costs_.eager_limit.count;
    if (spans_ != nullptr) [[unlikely]] {
        spans_->send(index, {now_.at, clock}, !is_eager);
    }
    if (is_eager) {
        done(op);
    }
}

void GoalRun::do_receive(OpIndex index, const GoalOp& op) {
    events_.pop();
    dependencies_.started(op);
    Waiting& waiting = waiting_[op.rank];
    post_late(waiting, latest_);
    const OpIndex send = meeting_.receive(index);
    if (send == no_op) {
        ++waiting.receives;
        return;
    }
    --waiting.messages;
    if (charge_ == Charge::match) {
        partner_[send] = index;
        events_.push({send | is_message, now_.number, now_.at});
        return;
    }
    // On the sender's side LogGOPSim also sets the clocks of the receive's CPU and NIC numbers.
    end_rendezvous(schedule_.ops[send], op);
    done(op);
}

void GoalRun::do_message(OpIndex send, const GoalOp& op) {
    if (charge_ == Charge::arrival) {
        if (!take_message(op, op)) {
            return;
        }
        const OpIndex receive = meet(send, op);
        if (spans_ != nullptr) [[unlikely]] {
            spans_->message(send, receive, op.cpu, {now_.at, cpu(op.peer, op.cpu)});
        }
        if (receive != no_op) {
            end_rendezvous(op, op);
            done(schedule_.ops[receive]);
        }
        return;
    }
    if (partner_[send] == no_op) {
        partner_[send] = meet(send, op);
        if (partner_[send] == no_op) {
            return events_.pop();
        }
    }
    const GoalOp& receive = schedule_.ops[partner_[send]];
    if (take_message(op, receive)) {
        if (spans_ != nullptr) [[unlikely]] {
            spans_->message(send, partner_[send], receive.cpu, {now_.at, cpu(op.peer, receive.cpu)});
        }
        end_rendezvous(op, op);
        done(receive);
    }
}

// Occupies the CPU and NIC of the receiver and returns true if both were free.
bool GoalRun::take_message(const GoalOp& send, const GoalOp& payer) {
    std::int64_t& clock = cpu(send.peer, payer.cpu);
    std::int64_t& side = receiving(send.peer, payer.nic);
    if (waits_until(std::max(clock, side))) {
        return false;
    }
    const std::int64_t further = further_bytes(send);
    const std::int64_t gap = cost_of(further, costs_.gap_per_byte);
    clock = plus(plus(now_.at, costs_.overhead.count()), std::max(gap, cost_of(further, costs_.overhead_per_byte)));
    side = plus(plus(now_.at, costs_.gap.count()), gap);
    return true;
}

void GoalRun::end_rendezvous(const GoalOp& send, const GoalOp& payer) {
    if (send.size <= costs_.eager_limit.count) {
        return;
    }
    if (spans_ != nullptr) [[unlikely]] {
        spans_->met(index_of(send), payer.cpu, now_.at);
    }
    std::int64_t& clock = cpu(send.rank, payer.cpu);
    std::int64_t& side = sending(send.rank, payer.nic);
    clock = std::max(clock, now_.at);
    side = std::max(side, now_.at);
    done(send);
}

// Freed operations see the end of their dependencies only through the clocks that they use, so they may begin before
// now.
void GoalRun::push_free() {
    dependencies_.take_free([&](OpIndex index) {
        const GoalOp& op = schedule_.ops[index];
        dependencies_.fetch_ahead(index, op);
        const std::int64_t free = cpu(op.rank, op.cpu);
        if (op.kind == GoalOpKind::receive) {
            push_receive({index, next_number_++, free}, op);
        } else {
            push(index, op.kind == GoalOpKind::send ? std::max(free, sending(op.rank, op.nic)) : free);
        }
    });
}

void GoalRun::push_receive(const Event& event, const GoalOp& receive) {
    const auto dependents = schedule_.dependents_of(receive);
    Waiting& waiting = waiting_[receive.rank];
    const bool is_seen = waiting.messages > 0 || (!dependents.empty() && dependents.front().on_start());
    if (is_seen || key_of(event) < latest_ || waiting.late.size() == most_late) {
        return events_.push(event);
    }
    const auto behind = [](const Event& a, const Event& b) { return key_of(a) < key_of(b); };
    waiting.late.insert(std::upper_bound(waiting.late.begin(), waiting.late.end(), event, behind), event);
}

// Posts the late receives that are due before `until`.
void GoalRun::post_late(Waiting& waiting, UnsignedWide until) {
    auto at = waiting.late.begin();
    for (; at != waiting.late.end() && key_of(*at) < until; ++at) {
        meeting_.receive(at->what);
        ++waiting.receives;
    }
    waiting.late.erase(waiting.late.begin(), at);
}

// The first late receive that is due and matches; skips the lookup in meeting_.
OpIndex GoalRun::take_late(Waiting& waiting, const GoalOp& send) {
    for (auto at = waiting.late.begin(); at != waiting.late.end() && key_of(*at) < latest_; ++at) {
        const OpIndex receive = at->what;
        if (fits(schedule_.ops[receive], send)) {
            waiting.late.erase(at);
            return receive;
        }
    }
    return no_op;
}

// The receive that a message meets. A message that meets none waits in meeting_ for later receives.
OpIndex GoalRun::meet(OpIndex send, const GoalOp& op) {
    Waiting& waiting = waiting_[op.peer];
    if (waiting.receives == 0) {
        if (const OpIndex receive = take_late(waiting, op); receive != no_op) {
            return receive;
        }
    }
    post_late(waiting, latest_);
    const OpIndex receive = meeting_.message(send);
    if (receive != no_op) {
        --waiting.receives;
        return receive;
    }
    ++waiting.messages;
    for (const Event& event : waiting.late) {
        events_.push(event);
    }
    waiting.late.clear();
    return no_op;
}

}  // namespace

GoalOutcome run(const GoalSchedule& schedule, const LogGP& costs, Charge charge, const trace::SpanSink& on_span) {
    if (!on_span) {
        return GoalRun(schedule, costs, charge, nullptr).outcome();
    }
    SpanRecorder spans(schedule, on_span);
    return GoalRun(schedule, costs, charge, &spans).outcome();
}

LogGP loggopsim_costs() {
    return {.latency = Duration{2500},
            .overhead = Duration{1500},
            .gap = Duration{1000},
            .gap_per_byte = {6, 1},
            .overhead_per_byte = {0, 1},
            .eager_limit = Bytes{65535}};
}

}  // namespace sim::goal
