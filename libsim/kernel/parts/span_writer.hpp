// The span writer turns ops that have ended into spans of the trace. A trace that nobody asked for costs one test.
#pragma once

#include "libsim/kernel/parts/streams.hpp"
#include "libsim/names.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>

namespace sim::kernel {

class SpanWriter {
public:
    // `names` and `groups` must outlive this object.
    SpanWriter(const Names& names, const Groups& groups, SpanSink sink)
        : names_(&names), groups_(&groups), sink_(std::move(sink)) {}

    // Whether anybody reads the spans.
    explicit operator bool() const { return sink_ != nullptr; }
    // Requires: the op's label and group are in the tables. `message`: its id; 0: none.
    void write(int rank, NumberedOp at, Time begin, Time end, Duration idle = {}, std::uint64_t message = 0) const {
        if (sink_) {
            write_always(rank, at, begin, end, idle, message);
        }
    }

    const Groups& groups() const { return *groups_; }

private:
    void write_always(int rank, NumberedOp at, Time begin, Time end, Duration idle, std::uint64_t message) const;

    const Names* names_;
    const Groups* groups_;
    SpanSink sink_;
};

}  // namespace sim::kernel
