#include "libsim/kernel/kernel.hpp"

#include "libsim/check.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

SendRules rules_of(const Cluster& cluster, const faults::Conditions& conditions) {
    SendRules rules{.block = cluster.blocking_sends, .times_ends = cluster.network->times_ends()};
    rules.may_hold = rules.times_ends || rules.block || links_are_shared(cluster);
    rules.special = rules.may_hold || conditions.lose_messages();
    return rules;
}

}  // namespace

Kernel::Kernel(int ranks, const Cluster& cluster, const Names& names, const Groups& groups,
               const KernelOptions& options)
    : options_(options),
      conditions_(options.faults, ranks, cluster.network),
      prices_(cluster, ranks, conditions_),
      spans_(names, groups, options.on_span),
      agenda_(options.order, ranks),
      ranks_(ranks),
      transfers_(rules_of(cluster, conditions_)),
      rendezvous_(groups),
      collective_times_(prices_, groups, conditions_),
      beside_(ranks),
      early_data_(matching_),
      losses_(conditions_),
      overlap_(prices_, conditions_) {
    if (auto topology = cluster.network->shared_topology()) {
        links_.emplace(std::move(topology), prices_, conditions_, losses_, ranks_, matching_, transfers_);
        walks_.emplace(*links_, groups, ranks_, matching_, transfers_);
        check(options.order == Order::time, "links are shared in the order of time");
    }
    for (int rank = 0; rank < ranks; ++rank) {
        ranks_[rank].program.clock = options.begin;
        agenda_.resume(rank, ranks_[rank]);
    }
}

std::optional<int> Kernel::next_turn() {
    if (links_) {
        return next_turn_in_time();
    }
    if (agenda_.empty() && agenda_.out() == 0) {
        resolve_earliest();
    }
    if (agenda_.empty()) {
        return std::nullopt;
    }
    const int rank = agenda_.pop();
    return agenda_.hand_out(rank, ranks_[rank]);
}

// Called when no rank can go on by itself. Proceeds with the earliest of the computations that wait for their streams'
// times and the questions.
void Kernel::resolve_earliest() {
    const auto question = questions_ ? questions_->first() : std::nullopt;
    const auto compute = overlap_.first(ranks_);
    if (compute && (!question || compute->at <= question->at)) {
        // Without shared links every known end is final, so there is no time at which messages under way are cut off.
        end_deferred_compute(compute->rank, ranks_[compute->rank], Time{});
    } else if (question) {
        answer_first_question();
    }
}

void Kernel::answer_first_question() {
    const int rank = questions_->answer_first(goes_on_unasked());
    unblock(rank, ranks_[rank]);
}

// A rank that is out may still send a message at now() that slows all others, so time does not advance beyond it.
std::optional<int> Kernel::next_turn_in_time() {
    while (true) {
        const std::optional<Time> event = links_->next_event();
        const bool ranks_wait = !agenda_.empty();
        const auto question = questions_ ? questions_->first() : std::nullopt;
        if (!event && !ranks_wait && !question) {
            return std::nullopt;
        }
        // At equal times the links come first: a message that arrives at an instant is there for a rank that acts at
        // it.
        const bool links_first = event && (!ranks_wait || *event <= agenda_.next_at());
        const Time at = links_first ? *event : ranks_wait ? agenda_.next_at() : Time::max();
        // Everything that arrives by the time of a question is processed before it is answered.
        if (question && question->at < at) {
            if (agenda_.out() > 0) {
                return std::nullopt;
            }
            links_->reach(question->at);
            answer_first_question();
            continue;
        }
        if (agenda_.out() > 0 && at > links_->now()) {
            return std::nullopt;
        }
        links_->reach(std::max(links_->now(), at));
        if (links_first) {
            for (const TransferId ended : links_->advance()) {
                end_flow(ended, at);
            }
            wake_streams();
            continue;
        }
        const int rank = agenda_.pop();
        RankState& self = ranks_[rank];
        if (self.status == Status::due) {
            return agenda_.hand_out(rank, self);
        }
        // A computation has reached its expected end, and ends unless it has been slowed down meanwhile.
        if (const Time end = overlap_.end(rank, self, self.pending, at); end > at) {
            agenda_.push({end, rank, self.pending_number});
        } else {
            end_deferred_compute(rank, self, at);
        }
    }
}

void Kernel::end_flow(TransferId id, Time at) {
    const Transfer transfer = links_->end(id, at);
    if (questions_ && !transfer.receiver) {
        questions_->note_message(transfer.source, transfer.op, at);
    }
    if (transfer.receiver || !transfers_.rules().waits_for_receiver(transfer.op)) {
        end_send(transfer, at);
    }
    if (transfer.receiver) {
        deliver(transfer.op.peer, *transfer.receiver, transfer.message);
    }
}

FaultEffect Kernel::injected_fault(int rank) const {
    if (!conditions_.interrupt(rank)) {
        return FaultEffect::nothing;
    }
    const Time at = time(rank);
    return at >= conditions_.dies_at(rank)         ? FaultEffect::death
           : conditions_.goes_on_at(rank, at) > at ? FaultEffect::stop
                                                   : FaultEffect::nothing;
}

void Kernel::suspend(int rank) {
    RankState& self = ranks_[rank];
    check(self.status == Status::out, "rank {} is stopped out of turn", rank);
    const Time at = self.program.clock;
    const Time goes_on = conditions_.goes_on_at(rank, at);
    self.spend(Stream::main, {.idle = goes_on - at, .end = goes_on});
    agenda_.end_turn();
    unblock(rank, self);
}

bool Kernel::apply(int rank) {
    switch (injected_fault(rank)) {
        case FaultEffect::nothing: return false;
        case FaultEffect::stop: suspend(rank); break;
        case FaultEffect::death: lose(rank); break;
    }
    return true;
}

void Kernel::lose(int rank) {
    check(ranks_[rank].status == Status::out, "rank {} is lost out of turn", rank);
    agenda_.lose(ranks_[rank]);
    agenda_.end_turn();
}

std::vector<int> Kernel::dead_ranks() const {
    std::vector<int> dead;
    for (int rank = 0; lost() > 0 && rank < ranks(); ++rank) {
        if (status(rank) == Status::lost) {
            dead.push_back(rank);
        }
    }
    return dead;
}

void Kernel::unblock(int rank, RankState& self) {
    if (questions_ && !self.is_blocked_in(OpKind::look) && !self.is_blocked_in(OpKind::test) &&
        self.status == Status::blocked) [[unlikely]] {
        // A rank that leaves a question has only asked: counting that as progress would hide endless polling.
        questions_->note_progress();
    }
    agenda_.resume(rank, self);
}

std::optional<FoundMistake> Kernel::first_mistake() const {
    std::optional<FoundMistake> mismatch = rendezvous_.first_mismatch();
    const std::optional<FoundMistake>& other = mistakes_.first();
    // Messages between members that disagree rarely match, so the disagreement is the better explanation.
    return !other || (mismatch && mismatch->place.at <= other->place.at) ? mismatch : other;
}

std::int64_t Kernel::messages_sent() const {
    std::int64_t sent = 0;
    for (const RankState& rank : ranks_) {
        sent += rank.messages;
    }
    return sent;
}

Time Kernel::end() const {
    Time last = options_.begin;
    for (const RankState& rank : ranks_) {
        last = std::max(last, rank.program.clock);
    }
    return last;
}

}  // namespace sim::kernel
