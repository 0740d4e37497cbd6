// Matching pairs messages with receives in one queue per (source, target, tag, stream), in the order sent and posted.
//
// A shared list per target would make an all-to-all quadratic. A queue holds messages or waiting receives, never both.
// Cost: one hash look-up per change of peer, no heap allocation per message.
#pragma once

#include "libsim/kernel/parts/ids.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sim::kernel {

struct Message {
    Time begin;  // start of the send
    Time end;    // arrival
    std::int64_t amount = 0;
    std::uint64_t bytes = 0;    // payload size; 0: no data
    std::uint32_t payload = 0;  // index among the source's payloads
    std::uint32_t number = 0;   // op number at the source, from 1: independent of how streams take turns
    Measure measure = Measure::bytes;
    TransferId transfer = TransferId::none;  // transfer that holds its sender, if any
};

// The id of a message: unique to it, and the same at both ends.
inline std::uint64_t id_of(int source, const Message& message) {
    return (static_cast<std::uint64_t>(source) << 32U) | message.number;
}
// The receive as completed, with the size that arrived, whatever size was requested.
inline Op received(Op op, const Message& message) {
    op.amount = message.amount;
    op.measure = message.measure;
    return op;
}

struct WaitingReceive {
    Time since;
    Owner owner = {};
};

class Matching {
public:
    using Channel = std::uint32_t;

    // Messages are matched within a stream: both ends name the same one.
    Channel channel(int source, int target, int tag, Stream stream = Stream::main);
    // The channel last looked up; the next one is nearly always the same.
    struct LastChannel {
        std::int32_t peer = -1;
        std::int32_t tag = 0;
        Channel channel = 0;
    };
    Channel channel(LastChannel& last, const Op& op, int source, int target, Stream stream) {
        if (last.peer != op.peer || last.tag != op.tag) {
            last = {op.peer, op.tag, channel(source, target, op.tag, stream)};
        }
        return last.channel;
    }

    // The oldest message not yet received, or the longest-waiting receive; null if there is none.
    // Valid until the next call that adds or drops.
    const Message* oldest_message(Channel channel) const {
        const Queue& queue = queues_[channel];
        return queue.first != none && !queue.receives ? &nodes_[queue.first].message : nullptr;
    }
    const WaitingReceive* oldest_receive(Channel channel) const {
        const Queue& queue = queues_[channel];
        return queue.first != none && queue.receives ? &nodes_[queue.first].receive : nullptr;
    }
    // Removes the oldest message or receive. Requires: there is one.
    void drop_oldest(Channel channel) {
        Queue& queue = queues_[channel];
        const std::uint32_t index = queue.first;
        queue.first = nodes_[index].next;
        nodes_[index].next = free_;
        free_ = index;
    }
    // Appends a message for the caller to fill in. Requires: no receive waits.
    Message& new_message(Channel channel) {
        queues_[channel].receives = false;
        return append(queues_[channel]).message;
    }
    // Appends a waiting receive. Requires: no message waits.
    [[gnu::always_inline]] void keep(Channel channel, const WaitingReceive& receive) {
        queues_[channel].receives = true;
        append(queues_[channel]).receive = receive;
    }

    // Enables for_each_message_to() from now on. Cost: 4 B per channel.
    void index_by_target(int ranks);
    // Calls visit(source, tag, message) for the oldest message of each channel to `target` on the main stream, in an
    // unspecified order. Requires: index_by_target().
    template <class Visit>
    void for_each_message_to(int target, Visit visit) const {
        for (const Channel channel : to_[static_cast<std::size_t>(target)]) {
            if (const Message* const message = oldest_message(channel)) {
                visit(queues_[channel].source, queues_[channel].tag, *message);
            }
        }
    }

    // For explanations: messages not yet received, the oldest of each channel.
    struct Unmatched {
        int source;
        int target;
        int tag;
        Stream stream;
        Message message;
    };
    std::vector<Unmatched> unmatched_to(int target) const;
    // Unmatched messages to all targets, sorted by target. Cost: channels.
    std::vector<Unmatched> unmatched() const;

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Node {
        union {
            Message message;
            WaitingReceive receive;
        };
        std::uint32_t next;
        Node() : message(), next(none) {}
    };
    struct Queue {
        std::int32_t source;
        std::int32_t target;
        std::int32_t tag;
        std::uint32_t first;
        std::uint32_t last;
        Stream stream;
        bool receives;  // it holds receives, not messages
    };

    [[gnu::always_inline]] Node& append(Queue& queue) {
        std::uint32_t index = free_;
        if (index == none) [[unlikely]] {
            index = new_node();
        } else {
            free_ = nodes_[index].next;
        }
        (queue.first == none ? queue.first : nodes_[queue.last].next) = index;
        queue.last = index;
        nodes_[index].next = none;
        return nodes_[index];
    }
    std::uint32_t new_node();
    void grow();
    void index(Channel channel);
    std::size_t slot_of(int source, int target, int tag, Stream stream) const;

    std::vector<Queue> queues_;
    std::vector<Node> nodes_;
    std::uint32_t free_ = none;
    std::vector<std::vector<Channel>> to_;  // by target: channels of the main stream; empty: not indexed
    std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(64, none);  // open addressing, size a power of 2
};

}  // namespace sim::kernel
