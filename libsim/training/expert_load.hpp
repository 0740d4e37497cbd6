// The expert load says how unevenly tokens visit the experts of a layer, and what that costs the rank with the fullest
// experts, which all others wait for.
//
// A drawn load follows Zipf's law: the i-th fullest of E experts has i^-s / sum(j^-s) of the visits, with the exponent
// given, or the one at which the fullest expert has a given multiple of the mean. Its experts are placed on the ranks
// at random, and the fullest rank is an average over such placements. A measured load has its experts in order, the
// first ones on the first rank, as Megatron-LM places them.
//
// With a capacity factor C an expert takes at most C times the mean and drops further visits (GShard: Lepikhin et al.
// 2020; Megatron Core's --moe-expert-capacity-factor).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

struct ExpertLoad {
    double fullest = 1;          // visits of the fullest expert, as a multiple of the mean
    double exponent = 0;         // of Zipf's law, instead
    std::vector<double> counts;  // measured visits of each expert, instead

    bool is_even() const { return fullest == 1 && exponent == 0 && counts.empty(); }
    friend bool operator==(const ExpertLoad&, const ExpertLoad&) = default;
};

// "1.5" (the fullest expert's multiple), "zipf:0.8", or a list of counts. Throws ProgramError for any other text.
ExpertLoad expert_load_of_text(std::string_view text);
// Empty for an even load.
std::string text_of(const ExpertLoad& load);

// The visits of each expert, as multiples of the mean; drawn ones in falling order. Requires: `counts` is empty or has
// `experts` numbers, not all 0; `fullest` is at most `experts`.
std::vector<double> visits_of(const ExpertLoad& load, int experts);

// Relative to an even load: what the rank with the fullest experts computes and receives, and the share of visits that
// are not dropped.
struct RoutedRows {
    double fullest = 1;
    double kept = 1;
};
// Over `ranks` ranks. `capacity` 0: nothing is dropped. Requires: `ranks` divides `experts`. Constant for an even load,
// otherwise linear in the experts, 64 times if drawn.
RoutedRows routed_rows(const ExpertLoad& load, double capacity, int experts, int ranks);

}  // namespace sim::training
