#include "libsim/replay/op_tape.hpp"

#include <utility>

namespace sim::replay {

OpStream OpTape::Writer::take() {
    if (ops_.blocks() > 0) {
        ops_.end(static_cast<std::size_t>(end_ - next_));
    }
    return std::move(ops_);
}

std::vector<OpStream> OpTape::take() && {
    std::vector<OpStream> streams;
    streams.reserve(writers_.size());
    for (Writer& writer : writers_) {
        streams.push_back(writer.take());
    }
    return streams;
}

}  // namespace sim::replay
