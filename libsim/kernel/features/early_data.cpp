#include "libsim/kernel/features/early_data.hpp"

namespace sim::kernel {

EarlyData::Queue& EarlyData::queue(Matching::Channel channel) {
    if (channel >= queues_.size()) {
        queues_.resize(channel + std::size_t{1});
    }
    return queues_[channel];
}

bool EarlyData::send(Matching::Channel channel, const Delivery& payload) {
    Queue& at = queue(channel);
    at.sent.push_back(payload);
    const bool waited = at.program_waits;
    at.program_waits = false;
    return waited;
}

bool EarlyData::receive(Matching::Channel channel, const Op& receive, Delivery& delivery) {
    Queue& at = queue(channel);
    if (at.sent.empty()) {
        at.program_waits = true;
        return false;
    }
    if (receive.bytes != any_bytes && receive.bytes != at.sent.front().bytes) {
        return false;
    }
    delivery = at.sent.front();
    at.sent.pop_front();
    return true;
}

}  // namespace sim::kernel
