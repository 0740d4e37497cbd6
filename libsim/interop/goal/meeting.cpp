#include "libsim/interop/goal/meeting.hpp"

#include <algorithm>

namespace sim::goal {

Meeting::Meeting(const GoalSchedule& schedule)
    : schedule_(schedule), next_(schedule.ops.size(), no_op), slots_(64), takes_any_(schedule.ranks.size()) {
    for (const GoalOp& op : schedule.ops) {
        if (op.kind == GoalOpKind::receive && (op.peer == any || op.tag == any)) {
            takes_any_[op.rank] = true;
        } else if (op.kind == GoalOpKind::send && op.tag == any) {
            takes_any_[op.peer] = true;
        }
    }
}

OpIndex Meeting::message(OpIndex send) {
    const GoalOp& op = schedule_.ops[send];
    return takes_any_[op.peer] ? meet_any(send) : meet({op.peer, op.rank, op.tag}, send);
}

OpIndex Meeting::receive(OpIndex receive) {
    const GoalOp& op = schedule_.ops[receive];
    return takes_any_[op.rank] ? meet_any(receive) : meet({op.rank, op.peer, op.tag}, receive);
}

OpIndex Meeting::meet(const Key& key, OpIndex op) {
    std::size_t slot = find(key);
    Queue& queue = slots_[slot];
    if (queue.first == no_op) {
        queue = {key, op, op};
        if (2 * ++used_ > slots_.size()) {
            grow();
        }
        return no_op;
    }
    const OpIndex first = queue.first;
    if (schedule_.ops[first].kind == schedule_.ops[op].kind) {
        next_[queue.last] = op;
        queue.last = op;
        return no_op;
    }
    if (first == queue.last) {
        erase(slot);
    } else {
        queue.first = next_[first];
        next_[first] = no_op;
    }
    return first;
}

OpIndex Meeting::meet_any(OpIndex op) {
    const GoalOp& one = schedule_.ops[op];
    const bool receives = one.kind == GoalOpKind::receive;
    Lists& lists = lists_[receives ? one.rank : one.peer];
    std::vector<OpIndex>& others = receives ? lists.messages : lists.receives;
    const auto found = std::find_if(others.begin(), others.end(), [&](OpIndex other) {
        return receives ? fits(one, schedule_.ops[other]) : fits(schedule_.ops[other], one);
    });
    if (found == others.end()) {
        (receives ? lists.receives : lists.messages).push_back(op);
        return no_op;
    }
    const OpIndex other = *found;
    others.erase(found);
    return other;
}

std::size_t Meeting::hash(const Key& key) {
    std::uint64_t h = (std::uint64_t{key.receiver} << 32U | key.sender) * 0x9e3779b97f4a7c15U;
    h = (h ^ h >> 32U ^ key.tag) * 0xbf58476d1ce4e5b9U;
    return static_cast<std::size_t>(h ^ h >> 32U);
}

// The slot of `key`, or the free slot where it belongs.
std::size_t Meeting::find(const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(key) & mask;
    while (slots_[slot].first != no_op && slots_[slot].key != key) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

// Moves later entries forward, so that each stays reachable from its hash slot.
void Meeting::erase(std::size_t hole) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = (hole + 1) & mask; slots_[slot].first != no_op; slot = (slot + 1) & mask) {
        const std::size_t home = hash(slots_[slot].key) & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            slots_[hole] = slots_[slot];
            hole = slot;
        }
    }
    slots_[hole].first = no_op;
    --used_;
}

void Meeting::grow() {
    std::vector<Queue> old(2 * slots_.size());
    old.swap(slots_);
    for (const Queue& queue : old) {
        if (queue.first != no_op) {
            slots_[find(queue.key)] = queue;
        }
    }
}

Meeting::Waiting Meeting::waiting() const {
    Waiting waiting;
    const auto add = [&](OpIndex op) {
        (schedule_.ops[op].kind == GoalOpKind::receive ? waiting.receives : waiting.messages).push_back(op);
    };
    for (const Queue& queue : slots_) {
        for (OpIndex op = queue.first; op != no_op; op = op == queue.last ? no_op : next_[op]) {
            add(op);
        }
    }
    for (const auto& [rank, lists] : lists_) {
        std::for_each(lists.receives.begin(), lists.receives.end(), add);
        std::for_each(lists.messages.begin(), lists.messages.end(), add);
    }
    std::sort(waiting.receives.begin(), waiting.receives.end());
    std::sort(waiting.messages.begin(), waiting.messages.end());
    return waiting;
}

}  // namespace sim::goal
