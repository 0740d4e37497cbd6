#include "libsim/kernel/features/early_data.hpp"

#include <utility>

namespace sim::kernel {

EarlyData::Queue& EarlyData::queue(int source, int target, const Op& op) {
    const Matching::Channel channel = matching_->channel(source, target, op.tag, op.stream);
    if (channel >= queues_.size()) {
        queues_.resize(channel + std::size_t{1});
    }
    return queues_[channel];
}

bool EarlyData::take(Queue& from, const Op& receive, Delivery& delivery) {
    if (from.sent.empty()) {
        from.program_waits = true;
        return false;
    }
    if (receive.bytes != any_bytes && receive.bytes != from.sent.front().bytes) {
        return false;
    }
    delivery = from.sent.front();
    from.sent.pop_front();
    return true;
}

bool EarlyData::send(int rank, const Op& send, std::uint32_t payload, RankState& target) {
    Queue& to = queue(rank, send.peer, send);
    to.sent.push_back({rank, payload, send.bytes});
    return std::exchange(to.program_waits, false) && take(to, target.pending, target.delivery);
}

bool EarlyData::receive(int rank, const Op& receive, Delivery& delivery) {
    return take(queue(receive.peer, rank, receive), receive, delivery);
}

}  // namespace sim::kernel
