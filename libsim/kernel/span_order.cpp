#include "libsim/kernel/span_order.hpp"

#include <algorithm>

namespace sim::kernel {

void SpanOrder::close(AsyncId message, const Span& span) {
    const auto held = held_.find({span.rank, span.stream});
    Places& places = held->second;
    const auto is_before = [](const Place& place, AsyncId wanted) { return place.message < wanted; };
    std::lower_bound(places.begin(), places.end(), message, is_before)->span = span;
    while (!places.empty() && places.front().span) {
        sink_(*places.front().span);
        places.pop_front();
    }
    if (places.empty()) {
        held_.erase(held);
    }
}

void SpanOrder::take(const Span& span) {
    const auto held = held_.empty() ? held_.end() : held_.find({span.rank, span.stream});
    if (held == held_.end()) {
        sink_(span);
    } else {
        held->second.push_back({held->second.back().message, span});
    }
}

void SpanOrder::end() {
    for (const auto& [stream, places] : held_) {
        for (const Place& place : places) {
            if (place.span) {
                sink_(*place.span);
            }
        }
    }
    held_.clear();
}

}  // namespace sim::kernel
