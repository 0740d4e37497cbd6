// The span order hands the spans of a stream out in the order of its program, although a message that it has started
// ends behind others that follow it.
#pragma once

#include "libsim/kernel/ids.hpp"
#include "libsim/trace/span.hpp"

#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace sim::kernel {

class SpanOrder {
public:
    explicit SpanOrder(SpanSink sink) : sink_(std::move(sink)) {}

    // What follows on the stream waits for the span of this message.
    void open(int rank, Stream stream, AsyncId message) { held_[{rank, stream}].push_back({message, std::nullopt}); }
    // Requires: it is open.
    void close(AsyncId message, const Span& span);
    // A span of any other op.
    void take(const Span& span);
    // All that is there, without what is open.
    void end();

private:
    struct Place {
        AsyncId message;  // the last to be open by then
        std::optional<Span> span;
    };
    using Places = std::deque<Place>;

    SpanSink sink_;
    std::map<std::pair<int, Stream>, Places> held_;  // of streams with an open message
};

}  // namespace sim::kernel
