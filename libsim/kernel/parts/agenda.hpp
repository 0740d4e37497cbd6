// The agenda decides which rank runs next. It holds each rank at most once.
#pragma once

#include "libsim/kernel/parts/event_queue.hpp"

#include <optional>
#include <vector>

namespace sim::kernel {

// `any` is enough if a transfer's time depends only on itself: named sources over FIFO channels give the same timeline
// in every order (a Kahn process network). `time` is needed if transfers slow each other down.
enum class Order { any, time };

class Agenda {
public:
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

private:
    Order order_;
    std::vector<int> ring_;
    std::size_t first_ = 0;
    std::size_t end_ = 0;
    EventQueue queue_;
};

}  // namespace sim::kernel
