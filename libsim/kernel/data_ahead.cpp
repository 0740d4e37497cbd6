#include "libsim/kernel/data_ahead.hpp"

namespace sim::kernel {

DataAhead::Queue& DataAhead::queue(Matching::Channel channel) {
    if (channel >= queues_.size()) {
        queues_.resize(channel + std::size_t{1});
    }
    return queues_[channel];
}

DataAhead::Sent& DataAhead::Queue::at(Place place) {
    const std::size_t index = place - first;
    if (index >= sent.size()) {
        sent.resize(index + 1);
    }
    return sent[index];
}

void DataAhead::Queue::forget_gone() {
    while (!sent.empty() && sent.front().is_there && sent.front().is_gone) {
        sent.pop_front();
        ++first;
    }
}

bool DataAhead::send(Matching::Channel channel, const Delivery& payload) {
    Queue& at = queue(channel);
    const Place place = at.next++;
    Sent& sent = at.at(place);
    sent.payload = payload;
    sent.is_there = true;
    at.forget_gone();
    return at.awaited == place;
}

bool DataAhead::receive(Matching::Channel channel, Place place, std::uint64_t bytes, Delivery& delivery) {
    Queue& at = queue(channel);
    Sent& sent = at.at(place);
    if (!sent.is_there) {
        at.awaited = place;
        return false;
    }
    if (bytes != any_bytes && bytes != sent.payload.bytes) {
        return false;
    }
    delivery = sent.payload;
    sent.is_gone = true;
    at.forget_gone();
    return true;
}

bool DataAhead::receive_awaited(Matching::Channel channel, std::uint64_t bytes, Delivery& delivery) {
    const Place place = *queue(channel).awaited;
    queue(channel).awaited.reset();
    return receive(channel, place, bytes, delivery);
}

void DataAhead::drop(Matching::Channel channel, Place place) {
    queue(channel).at(place).is_gone = true;
    queue(channel).forget_gone();
}

}  // namespace sim::kernel
