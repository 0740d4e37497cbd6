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
// Cost: no heap allocation per computation or message once the run has warmed up; no cost for a trace that is not
// requested.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/collectives/readers/message_end.hpp"
#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/features/collective_store.hpp"
#include "libsim/kernel/features/early_data.hpp"
#include "libsim/kernel/features/link_traffic.hpp"
#include "libsim/kernel/features/questions.hpp"
#include "libsim/kernel/features/walks.hpp"
#include "libsim/kernel/features/whole_prices.hpp"
#include "libsim/kernel/lost_messages.hpp"
#include "libsim/kernel/parts/agenda.hpp"
#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/mistakes.hpp"
#include "libsim/kernel/parts/prices.hpp"
#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/kernel/parts/rendezvous.hpp"
#include "libsim/kernel/parts/sinks.hpp"
#include "libsim/kernel/parts/transfers.hpp"
#include "libsim/kernel/parts/wrong_ops.hpp"
#include "libsim/names.hpp"
#include "libsim/trace/span.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sim::collectives {

class LinkCosts;
struct MemberClock;
struct Schedule;

}  // namespace sim::collectives

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

    int finished() const { return finished_; }
    int lost() const { return lost_; }
    std::vector<int> dead_ranks() const;
    const LostMessages& lost_messages() const { return lost_messages_; }
    bool all_finished() const { return finished_ == static_cast<int>(ranks_.size()); }
    // True if no rank can ever resume: none is due, none is out, some are blocked. Valid once next_turn() has returned
    // nothing.
    bool stuck() const {
        return due_ == 0 && out_ == 0 && postponed_ == 0 && (!links_ || links_->empty()) &&
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

    int ranks() const { return static_cast<int>(ranks_.size()); }
    Status status(int rank) const { return of(rank).status; }
    Time time(int rank) const { return of(rank).program.clock; }
    const Delivery& delivered(int rank) const { return of(rank).delivery; }
    // The data that the rank last took; null if none.
    const std::shared_ptr<const Contributions>& gathered(int rank) const {
        return gathered_[static_cast<std::size_t>(rank)];
    }
    // The collective whose data the rank is waiting to take.
    const Op& collective_of_data(int rank, std::int64_t number) const { return beside_->collective_of(rank, number); }
    // The message or op found by the rank's last question. Requires: it has asked one, and the answer was not "no".
    const Arrival& found(int rank) const { return questions_->found(rank); }
    // The op that a rank is blocked in, and its number. Requires: it is blocked.
    const Op& blocked_in(int rank) const { return of(rank).pending; }
    std::uint32_t blocked_op_number(int rank) const { return of(rank).pending_number; }
    std::uint32_t ops(int rank) const { return of(rank).op_number; }
    // The unjoined asynchronous op with that id; null if there is none.
    const Joinable* joinable(int rank, AsyncId id) { return of(rank).joinables.find(id); }
    // The end of the op that the rank's last question was about. Requires: the question was a TestOf::end_of_one and
    // has been answered.
    Time known_end(int rank, const Op& question) { return of(rank).joinables.find(awaited_by(question))->end; }
    // The oldest asynchronous op of the rank that is still under way; null if there is none.
    const Joinable* oldest_under_way(int rank) { return of(rank).joinables.oldest_under_way(); }
    // The op that a stream of a blocked rank waits in, null if it does not wait; and a stream of the rank that waits.
    const IssuedOp* stream_waits_in(int rank, Stream stream) const;
    Stream waiting_stream(int rank) const;

    const Matching& matching() const { return matching_; }
    const Rendezvous& rendezvous() const { return rendezvous_; }
    bool blocking_sends() const { return cluster_.blocking_sends; }
    const Names& names() const { return *names_; }
    const Groups& groups() const { return *groups_; }

    std::int64_t messages_sent() const;
    // Totals so far. Idle time counts up to `run_end`, which is end() for the whole run.
    RankTotals totals(int rank, Time run_end) const { return of(rank).totals(begin_, run_end); }
    Time end() const;

private:
    // The times of a send, and whether its sender then waits for the receiver.
    struct Sending {
        SendTimes times;
        bool waits_for_receiver = false;
    };
    struct Awake {
        int rank;
        Stream stream;
    };
    struct RankAt {
        int rank;
        Time at;
    };
    // One of the ops that a question names, and the time at which the rank may learn of its end.
    struct Ended {
        Time at;
        std::size_t index;
    };
    // A message that a question finds, its arrival time, and the time at which its sender began.
    struct Found {
        Time at;
        Time begin;
        Arrival arrival;
    };

    RankState& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    const RankState& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    // kernel/inner_loop.cpp: each function that returns bool handles one op; false: the stream is blocked in it.
    bool execute(int rank, RankState& self, const Op& op);
    bool compute(int rank, RankState& self, const Op& op);
    bool send(int rank, RankState& self, Stream on, NumberedOp at);
    bool send_general(int rank, RankState& self, Stream on, NumberedOp at);
    template <bool at_ends, bool may_wait>
    [[gnu::always_inline]] inline bool send_at_once(int rank, RankState& self, Stream on, NumberedOp at);
    bool receive(int rank, RankState& self, Stream on, NumberedOp at);
    bool receive_held(int rank, RankState& self, Stream on, NumberedOp at, Matching::Channel from);
    bool receive_misfit(RankState& self, Stream on, NumberedOp at, Matching::Channel from);
    static bool never_receive(RankState& self, Stream on, NumberedOp at);
    void deliver(int target, const WaitingReceive& receive, const Message& message);
    void end_receive(int rank, RankState& self, Stream on, NumberedOp at, const Message& message);
    Matching::Channel channel(LastChannel& last, const Op& op, int source, int target, Stream on);

    // kernel/lose_messages.cpp: messages lost to faults.
    bool loses(int rank, const Op& send, Time begin) const {
        return conditions_.lose_messages() && conditions_.loses(rank, send.peer, begin);
    }
    bool loses(const Rendezvous::Meeting& meeting);
    bool send_lost(int rank, RankState& self, Stream on, NumberedOp at, Time begin);

    // kernel/held_sends.cpp: messages whose sender waits, and networks that time both ends of a message.
    Sending sending_at_ends(int rank, NumberedOp at, Time begin);
    bool waits_for_receiver(const Op& op) const { return cluster_.blocking_sends && op.tag >= 0; }
    void hold_sender(int rank, RankState& self, NumberedOp at, Owner sender, Message& message);
    void release_sender(Message& message, Time posted);
    Time take(Time& card, Time ready, const Message& message);
    Time end_of_asynchronous(int rank, const Joinable& joinable, const Message& message);
    void end_send(const Transfer& transfer, Time at);

    // kernel/streams.cpp
    static void block(RankState& self, Stream on, NumberedOp at) {
        if (on == Stream::main) {
            self.block(at.op, at.number);
        }  // any other stream is blocked until its front has ended
    }
    // Resumes a stream when the op that it was blocked in has ended.
    void resume(int rank, RankState& self, Stream on) {
        if (on == Stream::main) {
            unblock(rank, self);
        } else {
            end_issued(rank, self, on);
            awake_.push_back({rank, on});
        }
    }
    bool issue(int rank, RankState& self, const Op& op);
    bool execute_at_once(int rank, RankState& self, const Op& op);
    void compute_on_stream(int rank, RankState& self, NumberedOp at, Time begin);
    static bool wait_on_stream(RankState& self, const IssuedOp& issued);
    void send_ahead(int rank, const Op& op, std::uint32_t payload);
    bool receive_ahead(int rank, RankState& self, const Op& op, std::uint32_t number);
    bool execute_issued(int rank, RankState& self, const IssuedOp& issued);
    void go_on(int rank, RankState& self, Stream on);
    void end_issued(int rank, RankState& self, Stream on);
    void async_ended(int rank, RankState& self, AsyncId id);
    void wake_streams();

    // kernel/flows.cpp: messages that share links.
    struct Departure {
        std::uint32_t op_number;
        Time begin;
        std::uint32_t payload;
        Owner sender;
    };
    bool send_as_flow(int rank, RankState& self, Stream on, NumberedOp at);
    void start_flow(int rank, RankState& self, const Op& op, const Departure& departure);
    void note_busy_receiver(int rank, Owner owner, Time from);
    bool has_arrived(Message& message);
    std::optional<int> next_turn_in_time();
    void end_flows(std::vector<TransferId>& ended, Time at);
    void end_flow(TransferId id, Time at);

    // kernel/walks.cpp
    void begin_walks(int rank, RankState& self, Stream on, NumberedOp at);
    void next_step(WalkId id);
    void walk_on(WalkId id);
    void walk_sends(WalkId id);
    bool walk_receives(WalkId id);
    void end_walk_receive(WalkId id, const Message& message);
    void end_walk_send(WalkId id, Time at);
    void end_walk(WalkId id);
    void walk_message_begins(const Walk& walk, Time at);
    void walk_message_ends(const Walk& walk, Time at);

    // kernel/overlap.cpp
    bool computes_beside_streams(const RankState& self, const Op& op) const;
    bool begin_compute_beside_streams(int rank, RankState& self, const Op& op);
    void recheck_compute(int rank, Time now);
    Time end_beside_streams(int rank, const RankState& self, const Op& op, Time now);
    void compute_with_overlap(int rank, RankState& self, NumberedOp at, Time now);
    void end_postponed_compute(int rank, RankState& self, Time now);
    std::optional<RankAt> first_postponed_compute();

    // kernel/answer_questions.cpp
    Questions& questions();
    std::optional<Time> arrival_time(const Message& message);
    std::optional<Found> first_found(int rank, const Op& look, Time by);
    Time next_own_event(int rank, Time after);
    std::optional<Ended> first_to_end(int rank);
    bool ask(int rank, RankState& self, const Op& op);
    void read_clock(int rank, RankState& self);
    bool answer_at_once(int rank, RankState& self, const Op& op, std::uint32_t number);
    void give_answer(int rank, Time at, Duration idle, const Arrival& found);
    void note_for_question(int source, const Op& send, Time at);
    void note_end_for_question(int rank, Time at);
    void answer_first_question();

    // kernel/answer_ends.cpp
    bool ask_for_end(int rank, RankState& self, const Op& op);
    bool ask_whether_ended(int rank, RankState& self, const Op& op, const Joinable& joinable, std::uint32_t number);
    void answer_end(int rank, RankState& self, const Joinable& joinable);
    void answer_by(int rank, RankState& self, Time by, bool has_ended);
    void answer_not_by(int rank, RankState& self);

    // kernel/collective_data.cpp: data beside collectives, and hosts that are ahead of their GPU.
    CollectiveStore& data_beside();
    void bring(int rank, RankState& self, const Op& op);
    bool take(int rank, RankState& self, const Op& op);
    std::uint32_t brought_to(int rank, const Op& op) { return beside_ ? beside_->begin_collective(rank, op) : 0; }
    void gather(const Rendezvous::Meeting& meeting);
    void idle(RankState& self, const Op& op);
    void issue_from(RankState& self, const Op& op) const;

    // kernel/checkpoints.cpp
    bool hand_over(int rank, RankState& self, Stream on, NumberedOp at, Time asked);

    // kernel/join_async.cpp
    void begin_receive(int rank, RankState& self, NumberedOp at, Matching::Channel from, const Message* message);
    bool wait(int rank, RankState& self, const Op& op);
    bool finish(int rank, RankState& self);
    void advance_to_end(RankState& self, const Joinable& joinable, bool is_at_its_end) const;
    void answer_first_to_end(int rank, const Ended& first);
    static void mark_program(RankState& self, const Op& op);
    void forget(int rank, RankState& self, const Op& op);
    Joinable& named(int rank, AsyncId id, std::uint32_t number, const char* what);
    void join(int rank, RankState& self, Joinable& joinable);
    void join_keeping_slot(int rank, RankState& self, Joinable& joinable, bool is_at_its_end);

    // kernel/collectives.cpp
    bool collective(int rank, RankState& self, Stream on, NumberedOp at);
    bool has_ended(const Rendezvous::Meeting& meeting, int last_rank);
    void end_collective(const Rendezvous::Meeting& meeting, int last_rank);
    void end_as_a_whole(const Rendezvous::Meeting& meeting, int last_rank);
    void end_of_member(int rank, Stream on, const MemberClock& clock, bool is_last);
    void read_at_ends(const Rendezvous::Meeting& meeting, const Schedule& schedule, Size each,
                      std::vector<MemberClock>& members);
    collectives::MessageEnd disturbances(const Group& group) const;
    LinkCosts link_costs(const Rendezvous::Meeting& meeting, const Group& group, Size each) const;
    Schedule schedule_for(const Op& op) const;
    [[noreturn]] void throw_for_meeting(const Rendezvous::Meeting& meeting, const char* what) const;

    // kernel.cpp
    void resolve_earliest();
    int hand_out(int rank);
    void allocate(int rank, RankState& self, const Op& op);
    void unblock(int rank, RankState& self);
    void emit(int rank, const Op& op, std::uint32_t op_number, Time begin, Time end, Duration idle,
              std::uint64_t message);
    // Whether a message is the one that its receive expects; if not, notes a mistake.
    bool fits(int target, NumberedOp receive, Time posted, const Message& message) {
        const Op& op = receive.op;
        return (op.amount == message.amount && op.measure == message.measure && op.bytes == message.bytes) ||
               fits_or_is_noted(target, receive, posted, message);
    }
    bool fits_or_is_noted(int target, NumberedOp at, Time posted, const Message& message);
    void halt(int rank, RankState& self);

    Cluster cluster_;
    const Names* names_;
    const Groups* groups_;
    SpanSink on_span_;
    LogOpSink on_log_;
    OpSink on_ops_;
    StepsSink on_steps_;
    Time begin_;
    Agenda agenda_;
    faults::Conditions conditions_;
    Prices prices_;
    bool times_ends_;                          // the network times both ends of a message
    std::optional<LinkTraffic> links_;         // if messages share links
    bool may_hold_senders_;                    // a send may wait: in both cases, or if the cluster's sends block
    bool sends_specially_;                     // a send may wait or be lost
    std::optional<WholePrices> whole_prices_;  // if the network prices collectives
    Transfers transfers_;
    Walks walks_;
    Time latest_turn_;  // shared links: time of the latest turn or event
    Matching matching_;
    Rendezvous rendezvous_;
    Mistakes mistakes_;
    std::vector<RankState> ranks_;
    EarlyData ahead_;
    std::optional<CollectiveStore> beside_;  // set once a rank has brought data
    std::vector<std::shared_ptr<const Contributions>> gathered_;
    std::optional<Questions> questions_;  // set once a rank has asked one
    std::vector<Awake> awake_;            // streams that may resume
    Pace overlap_pace_;                   // slowdown of a computation while the rank's streams are busy
    int due_ = 0;
    int out_ = 0;
    int finished_ = 0;
    int lost_ = 0;
    LostMessages lost_messages_;
    int postponed_ = 0;  // computations that wait until their streams' times are known
};

// Explains a deadlock: every blocked rank, the op it waits for, and the nearest match.
// Requires: kernel.stuck(). Cost: ranks + channels.
Deadlock explain_deadlock(Kernel& kernel);
// The blocked ranks alone, in rank order; also valid after a rank was lost.
std::vector<WrongOp> waiting_ranks(Kernel& kernel);

}  // namespace sim::kernel
