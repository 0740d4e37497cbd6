// This cache holds the prices of collectives on a network that prices them as a whole. Programs repeat only a few.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/names.hpp"
#include "libsim/op.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sim::kernel {

struct WholePrice {
    std::uint64_t word = UINT64_MAX;  // a CollectiveWord
    std::int64_t amount = -1;
    Measure measure = Measure::bytes;
    Duration price{0};
    std::int64_t sent = 0;  // amount that each member sends
    bool alone = false;     // the group's one member stands for all
};

class WholePrices {
public:
    // `cluster` and `groups` must outlive this object. Requires: cluster.network->prices_collectives().
    WholePrices(const Cluster& cluster, const Groups& groups) : cluster_(&cluster), groups_(&groups) {}

    // Null if the price is not in the cache.
    const WholePrice* known(const Op& collective) const;
    // Valid until the next call. Throws ProgramError if the network has no price for it.
    const WholePrice& of(const Op& collective);

private:
    static std::size_t place_of(const Op& collective);

    const Cluster* cluster_;
    const Groups* groups_;
    std::vector<std::optional<Footprint>> footprints_;  // by group
    std::array<WholePrice, 64> prices_;                 // recent prices, in slots by hash
};

}  // namespace sim::kernel
