// The kernel owns simulated time and replays the ranks' ops in it. It is a passive state machine: it calls nobody.
//
// The host asks which rank runs next, gives the kernel the ops of that rank, and repeats. Between turns a rank is
//   due        it may resume, and is in the agenda;
//   out        it has its turn: it runs its own code, or the host holds ops of it that are not accepted yet;
//   blocked    it waits for others, in simulated time;
//   finished   its program has ended;
//   lost       it has died and never resumes;
//   halted     its op was a mistake (mistakes.hpp), and it never resumes.
// docs/design.md states which side pays which cost, and when. The same ops give the same timeline under every host.
// An op takes the same path on every stream; stream 0 is the program. The kernel knows how the network times messages
// and collectives (libsim/network/model.hpp), but not which network it is.
//
// This class is the core: it executes ops, matches messages and lets ranks go on. The values that it moves are in
// parts/. What only some programs or clusters need is in features/: each feature sees only what it is handed, never the
// kernel, and tells by its results which ranks or streams go on.
// Cost: no heap allocation per computation or message once the run has warmed up; no cost for a trace that is not
// requested, nor for a feature that is not used.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/features/collective_store.hpp"
#include "libsim/kernel/features/collective_times.hpp"
#include "libsim/kernel/features/early_data.hpp"
#include "libsim/kernel/features/losses.hpp"
#include "libsim/kernel/features/overlap.hpp"
#include "libsim/kernel/features/questions.hpp"
#include "libsim/kernel/features/shared_links.hpp"
#include "libsim/kernel/features/walks.hpp"
#include "libsim/kernel/parts/agenda.hpp"
#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/mistakes.hpp"
#include "libsim/kernel/parts/prices.hpp"
#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/kernel/parts/rendezvous.hpp"
#include "libsim/kernel/parts/sinks.hpp"
#include "libsim/kernel/parts/span_writer.hpp"
#include "libsim/kernel/parts/transfers.hpp"
#include "libsim/kernel/parts/wrong_ops.hpp"
#include "libsim/names.hpp"
#include "libsim/trace/span.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace sim::kernel {

struct KernelOptions {
    Order order = Order::any;
    SpanSink on_span = nullptr;
    LogOpSink on_log = nullptr;
    OpSink on_ops = nullptr;
    std::vector<faults::Injection> faults = {};
    StepsSink on_steps = nullptr;
    Time begin = Time{};  // start time of all ranks
};

// The effect of an injected fault on a rank that is about to go on.
enum class FaultEffect : std::uint8_t { nothing, stop, death };

class Kernel {
public:
    using Status = RankStatus;
    using Delivery = kernel::Delivery;

    // `names` and `groups` must outlive the kernel and hold every label and group of an op before it is accepted.
    Kernel(int ranks, const Cluster& cluster, const Names& names, const Groups& groups,
           const KernelOptions& options = {});
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    // The next rank to resume, which is then out; empty if no rank is due.
    std::optional<int> next_turn();

    // Executes ops of a rank that is out, in order, until it blocks or finishes, the ops end, or (Order::time) its
    // clock has moved. Returns the number executed. The rank is then due, blocked, halted or finished.
    std::size_t accept(int rank, std::span<const Op> ops);

    // The injected fault that hits a running rank at its current time, if any. The host then calls suspend() or lose()
    // and does not let the rank go on.
    FaultEffect injected_fault(int rank) const;
    // Stops the rank, which is due again when the stop is over. Requires: it is out, and injected_fault() is a stop.
    void suspend(int rank);
    // Marks the rank as dead: it neither resumes nor finishes. Ops that it has already issued go on. Requires: it is
    // out.
    void lose(int rank);
    // Does both, for runs without rank processes. True: the rank does not go on now.
    bool apply(int rank);
    // The prefix of `ops` that may be accepted at once: one op if a fault may hit the rank, else all.
    std::span<const Op> at_once(int rank, std::span<const Op> ops) const {
        return ops.first(std::min<std::size_t>(ops.size(), conditions_.interrupt(rank) ? 1 : ops.size()));
    }

    int finished() const { return agenda_.finished(); }
    int lost() const { return agenda_.lost(); }
    std::vector<int> dead_ranks() const;
    const Losses& lost_messages() const { return losses_; }
    bool all_finished() const { return finished() == ranks(); }
    // True if no rank can ever resume: none is due, none is out, some are blocked. Valid once next_turn() has returned
    // nothing.
    bool stuck() const {
        return agenda_.due() == 0 && agenda_.out() == 0 && !goes_on_unasked() &&
               !(questions_ && questions_->any_due()) && !all_finished();
    }
    // The program's mistakes so far. first_mistake() is the first by simulated time, rank and op number; it is final
    // once no rank can go on.
    bool has_mistake() const { return mistakes_.any() || rendezvous_.any_dissent(); }
    std::optional<FoundMistake> first_mistake() const;
    // Throw Mismatch if some members never came to a collective, or a message was never received. Require: all ranks
    // have finished.
    void require_complete_collectives() const;
    void require_received_messages() const;

    int ranks() const { return ranks_.size(); }
    Status status(int rank) const { return ranks_[rank].status; }
    Time time(int rank) const { return ranks_[rank].program.clock; }
    const Delivery& delivered(int rank) const { return ranks_[rank].delivery; }
    // The data that the rank last took; null if none. Requires: some rank has brought data.
    const std::shared_ptr<const Contributions>& gathered(int rank) const { return beside_.taken(rank); }
    // The collective whose data the rank is waiting to take.
    const Op& collective_of_data(int rank, std::int64_t number) const { return beside_.collective_of(rank, number); }
    // The message or op found by the rank's last question. Requires: it has asked one, and the answer was not "no".
    const Arrival& found(int rank) const { return questions_->found(rank); }
    // The op that a rank is blocked in, and its number. Requires: it is blocked.
    const Op& blocked_in(int rank) const { return ranks_[rank].pending; }
    std::uint32_t blocked_op_number(int rank) const { return ranks_[rank].pending_number; }
    std::uint32_t ops(int rank) const { return ranks_[rank].op_number; }
    // The unjoined asynchronous op with that id; null if there is none.
    const Joinable* joinable(int rank, AsyncId id) { return ranks_[rank].joinables.find(id); }
    // The end of the op that the rank's last question was about. Requires: the question was a TestOf::end_of_one and
    // has been answered.
    Time known_end(int rank, const Op& question) { return joinable(rank, awaited_by(question))->end; }
    // The oldest asynchronous op of the rank that is still under way; null if there is none.
    const Joinable* oldest_under_way(int rank) { return ranks_[rank].joinables.oldest_under_way(); }
    // The op that a stream of a blocked rank waits in, null if it does not wait; and a stream of the rank that waits.
    const IssuedOp* stream_waits_in(int rank, Stream stream) const { return ranks_[rank].waits_in(stream); }
    Stream waiting_stream(int rank) const { return ranks_[rank].waiting_stream(); }

    const Matching& matching() const { return matching_; }
    const Rendezvous& rendezvous() const { return rendezvous_; }
    bool blocking_sends() const { return transfers_.rules().block; }
    const Groups& groups() const { return spans_.groups(); }

    std::int64_t messages_sent() const;
    // Totals so far. Idle time counts up to `run_end`, which is end() for the whole run.
    RankTotals totals(int rank, Time run_end) const { return ranks_[rank].totals(options_.begin, run_end); }
    Time end() const;

private:
    // kernel.cpp: turns.
    std::optional<int> next_turn_in_time();
    void resolve_earliest();
    void answer_first_question();
    bool goes_on_unasked() const { return overlap_.any_deferred() || (links_ && !links_->empty()); }
    void unblock(int rank, RankState& self);
    void end_flow(TransferId id, Time at);

    // inner_loop.cpp: each function that returns bool handles one op; false: the stream is blocked in it.
    bool execute(int rank, RankState& self, const Op& op);
    bool execute_issued(int rank, RankState& self, const IssuedOp& issued);
    bool compute(int rank, RankState& self, const Op& op);
    bool send(int rank, RankState& self, Stream on, NumberedOp at);
    bool send_general(int rank, RankState& self, Stream on, NumberedOp at);
    template <bool at_ends, bool may_wait>
    [[gnu::always_inline]] inline bool send_at_once(int rank, RankState& self, Stream on, NumberedOp at);
    bool receive(int rank, RankState& self, Stream on, NumberedOp at);
    bool receive_held(int rank, RankState& self, Stream on, NumberedOp at, Matching::Channel from);
    void deliver(int target, const WaitingReceive& receive, const Message& message);
    void end_receive(int rank, RankState& self, Stream on, NumberedOp at, const Message& message);

    // held_sends.cpp: sends that hold their sender, share links or are lost, and messages timed at both ends.
    bool send_as_flow(int rank, RankState& self, Stream on, NumberedOp at);
    bool send_lost(int rank, RankState& self, Stream on, NumberedOp at, Time begin);
    void hold_sender(int rank, RankState& self, NumberedOp at, Owner sender, Message& message);
    void release_sender(Message& message, Time posted);
    Time take(Time& card, Time ready, const Message& message);
    Time end_of_asynchronous(int rank, const Joinable& joinable, const Message& message);
    void end_send(const Transfer& transfer, Time at);

    // streams.cpp: streams beside the program.
    bool issue(int rank, RankState& self, const Op& op);
    bool execute_at_once(int rank, RankState& self, const Op& op);
    void compute_on_stream(int rank, RankState& self, NumberedOp at, Time begin);
    bool hand_over(int rank, RankState& self, Stream on, NumberedOp at, Time asked);
    void go_on(int rank, RankState& self, Stream on);
    // The op that a stream, or the program, was blocked in has ended.
    void resume(int rank, RankState& self, Stream on) {
        if (on == Stream::main) {
            unblock(rank, self);
        } else {
            end_issued(rank, self, on);
            agenda_.wake(rank, on);
        }
    }
    void end_issued(int rank, RankState& self, Stream on);
    void wake_streams();

    // async.cpp: the ends of asynchronous ops, and computations that wait for their streams.
    void begin_receive(int rank, RankState& self, NumberedOp at, Matching::Channel from, const Message* message);
    void async_ended(int rank, RankState& self, AsyncId id);
    bool wait(int rank, RankState& self, const Op& op);
    bool ask(int rank, RankState& self, const Op& op);
    bool ask_for_end(int rank, RankState& self, const Op& op);
    void join(int rank, RankState& self, Joinable& joinable, bool is_at_its_end);
    bool finish(int rank, RankState& self);
    bool compute_beside_streams(int rank, RankState& self, const Op& op);
    void end_deferred_compute(int rank, RankState& self, Time now);

    // collectives.cpp: collectives by size, and the data beside them.
    bool collective(int rank, RankState& self, Stream on, NumberedOp at);
    const Group& members_of(const Op& op) const { return groups().group(collective_word(op).group); }
    bool take_data(int rank, RankState& self, const Op& op);
    void end_collective(const Rendezvous::Meeting& meeting, int last_rank);
    void end_of_member(int rank, Stream on, const MemberClock& clock, bool is_last);
    void end_of_walk(const std::optional<Walks::MemberEnd>& end);

    KernelOptions options_;
    faults::Conditions conditions_;
    Prices prices_;
    SpanWriter spans_;
    Agenda agenda_;
    Ranks ranks_;
    Matching matching_;
    Transfers transfers_;
    Rendezvous rendezvous_;
    Mistakes mistakes_;
    // Features.
    CollectiveTimes collective_times_;
    CollectiveStore beside_;
    EarlyData early_data_;
    Losses losses_;
    Overlap overlap_;
    std::optional<Questions> questions_;  // set once a rank has asked one
    std::optional<SharedLinks> links_;    // if messages share links; then ops are replayed in time order
    std::optional<Walks> walks_;          // the same
};

// Explains a deadlock: every blocked rank, the op it waits for, and the nearest match.
// Requires: kernel.stuck(). Cost: ranks + channels.
Deadlock explain_deadlock(Kernel& kernel);
// The blocked ranks alone, in rank order; also valid after a rank was lost.
std::vector<WrongOp> waiting_ranks(Kernel& kernel);

}  // namespace sim::kernel
