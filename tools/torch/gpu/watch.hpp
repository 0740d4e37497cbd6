// A watch records the work that streams execute while a profiler watches: when, and for which operator of the program.
#pragma once

#include "tools/torch/gpu/capture.hpp"
#include "tools/torch/gpu/queue.hpp"

#include <cstdint>
#include <deque>
#include <utility>

namespace sim::torch {

struct WatchedKernel {
    const char* label = "";
    StreamName stream;
    WatchedKind kind = WatchedKind::kernel;
    std::uint64_t tag = 0;
    Watched places = {};
};

class Watch {
public:
    bool is_on = false;
    std::uint64_t tag = 0;  // of the operator that runs; 0: none

    // Null if nobody watches. The result stays in place until take().
    Watched* add(StreamName stream, const char* label, WatchedKind kind) {
        if (!is_on) {
            return nullptr;
        }
        all_.push_back({label, stream, kind, tag});
        return &all_.back().places;
    }
    std::deque<WatchedKernel> take() { return std::exchange(all_, {}); }

private:
    std::deque<WatchedKernel> all_;
};

}  // namespace sim::torch
