// An op tape keeps the ops of a run in progress, under any host, so that they can be replayed or saved.
//
// Cost: 32 B per op. A rank without ops takes no memory.
#pragma once

#include "libsim/op.hpp"
#include "libsim/replay/op_stream.hpp"

#include <span>
#include <utility>
#include <vector>

namespace sim::replay {

class OpTape {
public:
    explicit OpTape(int ranks) : writers_(static_cast<std::size_t>(ranks)) {}

    // Appends the next ops of that rank.
    void add(int rank, std::span<const Op> ops) {
        for (const Op& op : ops) {
            writers_[static_cast<std::size_t>(rank)].add(op);
        }
    }

    // The ops of all ranks.
    std::vector<OpStream> take() && {
        std::vector<OpStream> streams;
        streams.reserve(writers_.size());
        for (Writer& writer : writers_) {
            streams.push_back(writer.take());
        }
        return streams;
    }

private:
    class Writer {
    public:
        // A replay has no receiver for answers.
        void add(Op op) {
            if (next_ == end_) {
                const std::span<Op> room = ops_.add_block();
                next_ = room.data();
                end_ = next_ + room.size();
            }
            op.answer = false;
            *next_++ = op;
        }
        OpStream take() {
            if (ops_.blocks() > 0) {
                ops_.end(static_cast<std::size_t>(end_ - next_));
            }
            return std::move(ops_);
        }

    private:
        OpStream ops_;
        Op* next_ = nullptr;
        Op* end_ = nullptr;
    };

    std::vector<Writer> writers_;
};

}  // namespace sim::replay
