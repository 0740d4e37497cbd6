// The agenda decides which rank runs next, and counts the ranks by whose turn it is.
//
// (1) It holds each rank at most once.
// (2) A rank is due from resume() to hand_out(), and out from hand_out() to end_turn().
// (3) Waking a stream only notes it: it goes on after the current op, so a chain of wake-ups does not recurse.
#pragma once

#include "libsim/kernel/parts/event_queue.hpp"
#include "libsim/kernel/parts/rank_state.hpp"

#include <optional>
#include <vector>

namespace sim::kernel {

// `any` is enough if a transfer's time depends only on itself: named sources over FIFO channels give the same timeline
// in every order (a Kahn process network). `time` is needed if transfers slow each other down.
enum class Order { any, time };

class Agenda {
public:
    struct Awake {
        int rank;
        Stream stream;
    };

    Agenda(Order order, int ranks) : order_(order), ring_(static_cast<std::size_t>(ranks) + 1) {}

    Order order() const { return order_; }
    bool empty() const { return order_ == Order::any ? first_ == end_ : queue_.empty(); }

    // The time at which the next rank is due. Requires: Order::time, !empty().
    Time next_at() const { return queue_.top().at; }

    void push(const Event& event) {
        if (order_ == Order::time) {
            queue_.push(event);
            return;
        }
        ring_[end_] = event.rank;
        end_ = end_ + 1 == ring_.size() ? 0 : end_ + 1;
    }

    // Requires: !empty().
    int pop() {
        if (order_ == Order::time) {
            return queue_.pop().rank;
        }
        const int rank = ring_[first_];
        first_ = first_ + 1 == ring_.size() ? 0 : first_ + 1;
        return rank;
    }

    // The program may go on at its clock.
    void resume(int rank, RankState& self) {
        self.status = RankStatus::due;
        ++due_;
        push({self.program.clock, rank, self.op_number});
    }
    int hand_out(int rank, RankState& self) {
        self.status = RankStatus::out;
        --due_;
        ++out_;
        return rank;
    }
    void end_turn() { --out_; }
    // The program has ended, or died; it never resumes.
    void finish(RankState& self) {
        self.status = RankStatus::finished;
        ++finished_;
    }
    void lose(RankState& self) {
        self.status = RankStatus::lost;
        ++lost_;
    }
    int due() const { return due_; }
    int out() const { return out_; }
    int finished() const { return finished_; }
    int lost() const { return lost_; }

    // Streams that may go on, the last one woken first.
    void wake(int rank, Stream stream) { awake_.push_back({rank, stream}); }
    bool any_awake() const { return !awake_.empty(); }
    Awake pop_awake() {
        const Awake next = awake_.back();
        awake_.pop_back();
        return next;
    }

private:
    Order order_;
    std::vector<int> ring_;
    std::size_t first_ = 0;
    std::size_t end_ = 0;
    EventQueue queue_;
    std::vector<Awake> awake_;
    int due_ = 0;
    int out_ = 0;
    int finished_ = 0;
    int lost_ = 0;
};

}  // namespace sim::kernel
