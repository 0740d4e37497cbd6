// The inverse of each pass is written out beside it, so that place and member follow from each other in constant time:
// schedules ask for both in every step.
#include "libsim/collectives/schedules/ring_order.hpp"

namespace sim::collectives {

RingOrder::Pass RingOrder::pass_of(int node) const {
    const bool by_three_rails = nodes_ % 2 == 1 && nodes_ >= 3 && inner_ >= 3;
    if (by_three_rails && node >= nodes_ - 2) {
        return node == nodes_ - 1 ? Pass::down_to_first : Pass::up_from_next;
    }
    return node % 2 == 0 ? Pass::up : Pass::down;
}

int RingOrder::member_at(int place) const {
    if (inner_ == 0) {
        return place;
    }
    const int node = place / inner_;
    const int q = place % inner_;
    const auto gpu = [&](int number) { return node * inner_ + modulo(channel_ + number); };
    switch (pass_of(node)) {
        case Pass::up: return gpu(q);
        case Pass::down: return gpu(-1 - q);
        case Pass::up_from_next: return gpu(q - 1);
        case Pass::down_to_first: return gpu(q < inner_ - 2 ? -2 - q : q + 1);
    }
    return place;
}

int RingOrder::place_of(int member) const {
    if (inner_ == 0) {
        return member;
    }
    const int node = member / inner_;
    const int number = modulo(member % inner_ - channel_);
    const int first = node * inner_;
    switch (pass_of(node)) {
        case Pass::up: return first + number;
        case Pass::down: return first + inner_ - 1 - number;
        case Pass::up_from_next: return first + modulo(number + 1);
        case Pass::down_to_first:
            return first + (number == 0 || number == inner_ - 1 ? inner_ - 1 - modulo(-number) : inner_ - 2 - number);
    }
    return member;
}

}  // namespace sim::collectives
