#include "libsim/kernel/parts/matching.hpp"

#include <algorithm>
#include <tuple>

namespace sim::kernel {

std::size_t Matching::slot_of(int source, int target, int tag, Stream stream) const {
    std::uint64_t hash = static_cast<std::uint32_t>(source) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ static_cast<std::uint32_t>(target)) * 0xff51afd7ed558ccdU;
    hash = (hash ^ (hash >> 32U) ^ static_cast<std::uint32_t>(tag)) * 0xc4ceb9fe1a85ec53U;
    hash ^= (hash >> 29U) ^ static_cast<std::uint64_t>(stream);
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    while (table_[slot] != none) {
        const Queue& queue = queues_[table_[slot]];
        if (queue.source == source && queue.target == target && queue.tag == tag && queue.stream == stream) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

Matching::Channel Matching::channel(int source, int target, int tag, Stream stream) {
    std::size_t slot = slot_of(source, target, tag, stream);
    if (table_[slot] == none) {
        // At most half full, which keeps runs of occupied slots short.
        if (queues_.size() * 2 >= table_.size()) {
            grow();
            slot = slot_of(source, target, tag, stream);
        }
        table_[slot] = static_cast<Channel>(queues_.size());
        queues_.push_back({source, target, tag, none, none, stream, false});
        if (!to_.empty()) {
            index(table_[slot]);
        }
    }
    return table_[slot];
}

void Matching::index_by_target(int ranks) {
    to_.resize(static_cast<std::size_t>(ranks));
    for (Channel channel = 0; channel < queues_.size(); ++channel) {
        index(channel);
    }
}

void Matching::index(Channel channel) {
    // Programs ask about messages to the program alone, not to its streams.
    if (queues_[channel].stream == Stream::main) {
        to_[static_cast<std::size_t>(queues_[channel].target)].push_back(channel);
    }
}

void Matching::grow() {
    table_.assign(table_.size() * 2, none);
    for (Channel index = 0; index < queues_.size(); ++index) {
        const Queue& queue = queues_[index];
        table_[slot_of(queue.source, queue.target, queue.tag, queue.stream)] = index;
    }
}

std::uint32_t Matching::new_node() {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::vector<Matching::Unmatched> Matching::unmatched_to(int target) const {
    std::vector<Unmatched> found = unmatched();
    std::erase_if(found, [target](const Unmatched& each) { return each.target != target; });
    return found;
}

std::vector<Matching::Unmatched> Matching::unmatched() const {
    std::vector<Unmatched> found;
    for (const Queue& queue : queues_) {
        if (queue.first != none && !queue.receives) {
            found.push_back({queue.source, queue.target, queue.tag, queue.stream, nodes_[queue.first].message});
        }
    }
    // Not in the order in which channels were first used, which depends on the host.
    std::sort(found.begin(), found.end(), [](const Unmatched& a, const Unmatched& b) {
        return std::tuple(a.target, a.source, a.tag, a.stream) < std::tuple(b.target, b.source, b.tag, b.stream);
    });
    return found;
}

}  // namespace sim::kernel
