#include "libsim/kernel/features/whole_prices.hpp"

#include <algorithm>

namespace sim::kernel {

std::size_t WholePrices::place_of(const Op& collective) {
    const std::uint64_t hash = (collective.bytes ^ static_cast<std::uint64_t>(collective.amount)) * 0x9e3779b97f4a7c15U;
    return (hash >> 32U) % std::tuple_size_v<decltype(prices_)>;
}

const WholePrice* WholePrices::known(const Op& collective) const {
    // A program repeats few different collectives, so each has one possible place, and a collision costs one more
    // evaluation.
    const WholePrice& known = prices_[place_of(collective)];
    const bool same =
        known.word == collective.bytes && known.amount == collective.amount && known.measure == collective.measure;
    return same ? &known : nullptr;
}

const WholePrice& WholePrices::of(const Op& collective) {
    if (const WholePrice* const price = known(collective)) {
        return *price;
    }
    const CollectiveWord word = collective_word(collective);
    const Group& group = groups_->group(word.group);
    const auto id = static_cast<std::size_t>(word.group);
    if (id >= footprints_.size()) {
        footprints_.resize(std::max(groups_->size(), id + 1));
    }
    if (!footprints_[id]) {
        // Kept for each group, because it may take a look at each member.
        footprints_[id] = footprint_of(group.whole(), ranks_per_node(*cluster_));
    }
    const Footprint& members = *footprints_[id];
    const Size size{collective.amount, collective.measure};
    require_price(*cluster_, size);
    WholePrice& place = prices_[place_of(collective)];
    place = {.word = collective.bytes,
             .amount = collective.amount,
             .measure = collective.measure,
             .price = cluster_->network->collective_time(word.kind, bytes_of(*cluster_, size), members),
             .sent = cluster_->network->sent_in_collective(word.kind, collective.amount, members),
             .alone = group.size() == 1};
    return place;
}

}  // namespace sim::kernel
