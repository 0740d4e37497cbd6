// The kernel: owns simulated time, and replays the ranks' ops in it. A passive state machine: it calls nobody.
//
// The host asks whose turn it is, gives the kernel what that rank did, and repeats. Between turns a rank is
//   due        it may go on, and is in the agenda;
//   out        its turn was handed out: it runs its own code, or the host has ops of it that are not accepted yet;
//   blocked    it waits for others, in simulated time;
//   finished.
// Who pays what, and when: docs/design.md. The same ops give the same timeline, whoever hosts the ranks.
// Cost: no heap allocation per computation or message once the run has warmed up; nothing for a trace that nobody asked
// for.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/kernel/agenda.hpp"
#include "libsim/kernel/board.hpp"
#include "libsim/kernel/joinables.hpp"
#include "libsim/kernel/lane.hpp"
#include "libsim/kernel/matching.hpp"
#include "libsim/kernel/shared_links.hpp"
#include "libsim/kernel/transfers.hpp"
#include "libsim/kernel/walks.hpp"
#include "libsim/names.hpp"
#include "libsim/trace/span.hpp"

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace sim {

class LinkCosts;
struct MemberClock;
struct Schedule;

struct KernelOptions {
    Order order = Order::any;
    SpanSink on_span = nullptr;
};

class Kernel {
public:
    enum class Status : std::uint8_t { due, out, blocked, finished };

    // What a rank's last receive or wait brought: the `number`-th payload (from 0) that `source` sent.
    struct Delivery {
        int source = -1;
        std::uint32_t number = 0;
        std::uint64_t bytes = 0;
    };

    // `names` and `groups` must outlive the kernel, and hold every label and group of the ops before they are accepted.
    Kernel(int ranks, const Cluster& cluster, const Names& names, const Groups& groups,
           const KernelOptions& options = {});
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    // The next rank to go on, which is out from then; nothing if no rank is due.
    std::optional<int> next_turn();

    // Takes ops of a rank that is out, in order, until it blocks or finishes, or they end, or (Order::time) time has
    // passed; returns how many. Afterwards the rank is due, blocked or finished.
    // Throws MismatchError and ProgramError for what the program did; the kernel then takes no more ops.
    std::size_t accept(int rank, std::span<const Op> ops);

    bool all_finished() const { return finished_ == static_cast<int>(ranks_.size()); }
    // No rank can ever go on: none is due, none is out, some are blocked. Ask after next_turn() has returned nothing.
    bool stuck() const { return due_ == 0 && out_ == 0 && postponed_ == 0 && flows_under_way_ == 0 && !all_finished(); }

    int ranks() const { return static_cast<int>(ranks_.size()); }
    Status status(int rank) const { return of(rank).status; }
    Time time(int rank) const { return of(rank).clock; }
    const Delivery& delivered(int rank) const { return of(rank).delivery; }
    // The op that a rank is blocked in, its number, and since when. Requires: it is blocked.
    const Op& blocked_in(int rank) const { return of(rank).pending; }
    std::uint32_t blocked_op_number(int rank) const { return of(rank).pending_number; }
    std::uint32_t ops(int rank) const { return of(rank).op_number; }
    // The unjoined asynchronous op of that number; null if there is none.
    const Joinable* joinable(int rank, std::int64_t number) { return of(rank).joinables.find(number); }
    // The oldest of them that is still under way; null if there is none.
    const Joinable* oldest_under_way(int rank) { return of(rank).joinables.oldest_under_way(); }
    // The op that a stream of a blocked rank waits in; null if it waits in none. And a stream that waits.
    const Lane::Issued* stream_waits_in(int rank, Stream stream) const;
    Stream waiting_stream(int rank) const;

    const Matching& matching() const { return matching_; }
    const Board& board() const { return board_; }
    const Names& names() const { return *names_; }
    const Groups& groups() const { return *groups_; }

    // Up to now; idle time counts up to `run_end`, which is end() for the whole run.
    RankTotals totals(int rank, Time run_end) const;
    Time end() const;

private:
    struct LastChannel {
        std::int32_t peer = -1;
        std::int32_t tag = 0;
        Matching::Channel channel = 0;
    };
    struct Memory {
        std::int64_t now = 0;
        std::int64_t peak = 0;
    };
    struct Rank {
        Time clock;
        Time sends_free;
        Time receives_free;  // LogGP only
        Time computes_free;
        Status status = Status::due;
        std::uint32_t op_number = 0;
        std::uint32_t payloads = 0;
        std::uint32_t messages = 0;
        LastChannel last_send;
        LastChannel last_receive;
        Duration computing{0};
        Duration communicating{0};
        Duration idle_in_collectives{0};
        std::int64_t bytes_sent = 0;
        std::int64_t billionths_sent = 0;
        Op pending;
        std::uint32_t pending_number = 0;
        Delivery delivery;
        Joinables joinables;
        Walking walking;
        std::vector<Lane> lanes;  // of stream 1, 2, …
        Memory bytes_held;
        Memory billionths_held;
    };
    // Data that programs have sent and received on a stream of two ranks, ahead of simulated time.
    struct Ahead {
        std::deque<Delivery> sent;  // and not received yet
        bool program_waits = false;
    };
    struct Awake {
        int rank;
        Stream stream;
    };
    // What a collective of a group takes.
    struct WholePrice {
        std::uint64_t word = UINT64_MAX;  // a CollectiveWord
        std::int64_t amount = -1;
        Measure measure = Measure::bytes;
        Duration price{0};
        std::int64_t sent = 0;  // by each member
        bool alone = false;     // the group's one member stands for all
    };
    struct LastPrice {
        std::int64_t amount = -1;
        Measure measure = Measure::bytes;
        Duration price{0};
    };

    Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    // kernel/inner_loop.cpp. Each handles one op; false: the rank is blocked in it.
    bool carry_out(int rank, Rank& self, const Op& op);
    bool compute(int rank, Rank& self, const Op& op);
    bool send(int rank, Rank& self, const Op& op);
    bool receive(int rank, Rank& self, const Op& op);
    bool receive_held(int rank, Rank& self, const Op& op, std::uint32_t number, Matching::Channel from);
    void deliver(int target, const WaitingReceive& receive, const Message& message);
    void end_receive(int rank, Rank& self, const Op& op, std::uint32_t op_number, Time posted, const Message& message);
    Matching::Channel channel(LastChannel& last, int peer, int tag, int source, int target);

    // kernel/streams.cpp
    static Lane& lane(Rank& self, Stream stream);
    bool issue(int rank, Rank& self, const Op& op);
    bool carry_out_at_once(int rank, Rank& self, const Op& op);
    Ahead& ahead(int source, int target, const Op& op);
    void send_ahead(int rank, const Op& op, std::uint32_t payload);
    bool receive_ahead(int rank, Rank& self, const Op& op, std::uint32_t op_number);
    static bool take_ahead(Ahead& channel, Rank& target, const Op& receive);
    void go_on(int rank, Rank& self, Stream stream);
    void end_issued(int rank, Rank& self, Lane& at);
    bool carry_out_on(int rank, Rank& self, Lane& at, const Lane::Issued& issued);
    bool send_on(int rank, Rank& self, Lane& at, const Lane::Issued& issued);
    bool receive_on(int rank, Lane& at, const Lane::Issued& issued);
    void end_receive_on(int rank, Lane& at, const Lane::Issued& issued, const Message& message);
    void end_collective_on(int rank, Stream stream, const MemberClock& clock, bool is_last);
    void deliver_on(int target, const WaitingReceive& receive, const Message& message);
    void joinable_is_done(int rank, Rank& self, std::int64_t handle);
    void wake_streams();
    bool streams_are_done(const Rank& self) const;
    void wait_for_stream(Rank& self, Stream stream, Time end);
    static void forget_until_now(Rank& self);

    // kernel/loggp.cpp
    bool send_by_loggp(int rank, Rank& self, const Op& op);
    bool send_on_by_loggp(int rank, Rank& self, Lane& at, const Lane::Issued& issued);
    Time end_by_loggp(Time& card, Time ready, const Message& message);
    void leave_by_loggp(int rank, const Op& op, Matching::Channel to, Message message, std::int64_t sender, bool meets);

    // kernel/shared_links.cpp
    bool send_as_flow(int rank, Rank& self, const Op& op);
    struct Departure {
        std::uint32_t op_number;
        Time begin;
        std::uint32_t payload;
        std::int64_t sender;
    };
    void start_flow(int rank, Rank& self, const Op& op, const Departure& departure);
    bool has_come(Message& message);
    std::optional<int> next_turn_in_time();
    void end_flows(Time at);
    void end_flow(std::uint32_t number, Time at);

    // kernel/walks.cpp
    static Walking& walking_on(Rank& self, Stream stream);
    void begin_walks(int rank, Rank& self, const Op& op, std::uint32_t op_number, Time begin);
    void next_step(std::int64_t handle);
    void walk_on(std::int64_t handle);
    void walk_sends(std::int64_t handle);
    bool walk_receives(std::int64_t handle);
    void end_walk_receive(std::int64_t handle, const Message& message);
    void end_walk_send(std::int64_t handle, Time at);
    void end_walk(std::int64_t handle);
    void walk_message_begins(const Walk& walk, Time at);
    void walk_message_ends(const Walk& walk, Time at);

    // kernel/transfers.cpp
    bool send_and_hold(int rank, Rank& self, const Op& op);
    Time end_of_asynchronous(int rank, const Joinable& joinable, const Message& message);
    void end_send(const Transfer& transfer, Time at);
    void require_bytes(int rank, const Op& op, std::uint32_t op_number, Time at) const;
    static void count_message(Rank& self, const Op& op) {
        ++self.messages;
        add_checked(op.measure == Measure::bytes ? self.bytes_sent : self.billionths_sent, op.amount);
    }

    // kernel/overlap.cpp
    bool computes_beside_streams(const Rank& self, const Op& op) const;
    bool begin_compute_beside_streams(int rank, Rank& self, const Op& op);
    void look_at_compute(int rank, Time now);
    Time end_beside_streams(int rank, const Rank& self, const Op& op, Time now);
    void compute_beside_streams(int rank, Rank& self, const Op& op, std::uint32_t number, Time now);
    void go_on_without_streams();

    // kernel/joining.cpp
    void begin_receive(int rank, Rank& self, const Op& op, std::uint32_t number, Matching::Channel from,
                       const Message* message);
    bool wait(int rank, Rank& self, const Op& op);
    bool finish(int rank, Rank& self);
    void join(int rank, Rank& self, Joinable& joinable);
    void join_without_forgetting(int rank, Rank& self, Joinable& joinable);

    Hop hop(int a, int b) const {
        if (node_of_.empty()) {
            return hop_between(ranks_per_node_, a, b);
        }
        return node_of_[static_cast<std::size_t>(a)] == node_of_[static_cast<std::size_t>(b)] ? Hop::within
                                                                                              : Hop::across;
    }
    Duration acknowledgement(int source, int target) const {
        return acknowledgements_[static_cast<std::size_t>(hop(source, target))];
    }
    LastPrice& last_transfer(int source, const Op& op) {
        return last_transfers_[static_cast<std::size_t>(hop(source, op.peer))];
    }

    // kernel.cpp
    int hand_out(int rank);
    static Memory& held(Rank& self, Measure measure);
    void allocate(int rank, Rank& self, const Op& op);
    void block(Rank& self, const Op& op, std::uint32_t op_number);
    void unblock(int rank, Rank& self);
    void emit(int rank, const Op& op, std::uint32_t op_number, Time begin, Time end, Duration idle,
              std::uint64_t message);
    // Programs repeat a few sizes: the last price is nearly always the next.
    Duration price(LastPrice& last, int rank, const Op& op) {
        return price(last, rank, op, of(rank).op_number, of(rank).clock);
    }
    Duration price(LastPrice& last, int rank, const Op& op, std::uint32_t op_number, Time at) {
        return last.amount == op.amount && last.measure == op.measure ? last.price
                                                                      : new_price(last, rank, op, op_number, at);
    }
    Duration new_price(LastPrice& last, int rank, const Op& op, std::uint32_t op_number, Time at) const;
    void check_fit(int target, const Op& receive, std::uint32_t number, Time posted, const Message& message) const {
        if (receive.amount != message.amount || receive.measure != message.measure || receive.bytes != message.bytes) {
            throw_unless_fit(target, receive, number, posted, message);
        }
    }
    void throw_unless_fit(int target, const Op& receive, std::uint32_t number, Time posted,
                          const Message& message) const;

    // kernel/collectives.cpp
    bool collective(int rank, Rank& self, const Op& op);
    Duration message_price(const Board::Meeting& meeting, Size size, Hop over) const;
    LinkCosts link_costs(const Board::Meeting& meeting, const Group& group, Size each) const;
    void end_collective(const Board::Meeting& meeting, int last_rank);
    void end_collective_by_nccl(const Board::Meeting& meeting, int last_rank);
    WholePrice& place_of_price(const Op& op);
    const WholePrice* known_price_of_whole(const Op& op);
    const WholePrice& price_of_whole(const Board::Meeting& meeting, const CollectiveWord& word);
    void require_no_stand_in(const Op& op) const;
    [[noreturn]] void throw_for_meeting(const Board::Meeting& meeting, const char* what) const;
    void read_by_loggp(const Board::Meeting& meeting, const Schedule& schedule, Size each,
                       std::vector<MemberClock>& members);
    void end_collective_of(int rank, Rank& member, const MemberClock& clock, bool is_last);

    Cluster cluster_;
    const Names* names_;
    const Groups* groups_;
    SpanSink on_span_;
    Agenda agenda_;
    const LogGP* loggp_;  // of cluster_; null: another network
    const Nccl* nccl_;    // the same
    std::optional<SharedLinks> shared_links_;
    bool holds_senders_;  // either of both
    Transfers transfers_;
    Walks walks_;
    int flows_under_way_ = 0;
    Time turn_at_;  // shared links: of the rank that was last to go on
    Matching matching_;
    Board board_;
    std::vector<Rank> ranks_;
    int ranks_per_node_;
    std::vector<int> node_of_;                          // where ranks have places (Nccl); else empty
    std::vector<std::optional<Footprint>> footprints_;  // by group; Nccl
    std::vector<WholePrice> prices_of_whole_;           // the last of some collectives; Nccl
    std::array<Duration, 2> acknowledgements_;          // by hop
    std::vector<Ahead> ahead_;                          // by channel of matching_
    std::vector<Awake> awake_;                          // streams that may go on
    std::array<LastPrice, 2> last_transfers_;           // by hop
    LastPrice last_compute_;
    Pace beside_streams_;  // of a computation's time
    int due_ = 0;
    int out_ = 0;
    int finished_ = 0;
    int postponed_ = 0;  // computations that wait to know what their streams do meanwhile
};

// Why nobody can go on: every blocked rank with what it waits for and the nearest thing there is.
// Requires: kernel.stuck(). Cost: ranks + channels.
std::string explain_deadlock(Kernel& kernel);

}  // namespace sim
