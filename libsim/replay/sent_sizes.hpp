// Sent sizes determine what a receive of any size gets: the k-th message of a pair of ranks, a tag and a stream matches
// the k-th receive.
#pragma once

#include "libsim/replay/recording.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace sim::replay {

class SentSizes {
public:
    // Cost: O(ops), and more only for receives of any size.
    explicit SentSizes(const Recording& program);

    // `receive` with the size that it gets. Requires: called once for each receive of a rank, in program order.
    Op settled(int rank, Op receive);

private:
    using Channel = std::tuple<int, int, std::int32_t, Stream>;  // from, to

    static Channel channel_of(int source, int target, const Op& op) {
        return {source, target, op.tag, is_asynchronous(op) ? Stream::main : op.stream};
    }

    std::map<Channel, std::vector<Size>> sent_;  // empty: every receive states its size
    std::map<Channel, std::size_t> received_;
};

}  // namespace sim::replay
