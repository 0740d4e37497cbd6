// The n-th receive of a channel takes the n-th message sent on it, so a receive without a size of its own gets that of
// the send with its number. Programs without such receives store nothing.
#include "libsim/replay/sent_sizes.hpp"

namespace sim::replay {

SentSizes::SentSizes(const Recording& program) {
    bool any = false;
    for (int rank = 0; rank < program.ranks(); ++rank) {
        program.for_each_op(rank, [&](const Op& op) { any = any || (op.kind == OpKind::receive && op.amount < 0); });
    }
    for (int rank = 0; any && rank < program.ranks(); ++rank) {
        program.for_each_op(rank, [&](const Op& op) {
            if (op.kind == OpKind::send) {
                sent_[channel_of(rank, op.peer, op)].emplace_back(op.amount, op.measure);
            }
        });
    }
}

Op SentSizes::settled(int rank, Op receive) {
    if (sent_.empty()) {
        return receive;
    }
    const Channel channel = channel_of(receive.peer, rank, receive);
    const std::size_t number = received_[channel]++;
    const auto sent = sent_.find(channel);
    if (receive.amount < 0 && sent != sent_.end() && number < sent->second.size()) {
        receive.amount = sent->second[number].amount;
        receive.measure = sent->second[number].measure;
    }
    return receive;
}

}  // namespace sim::replay
