// Shares divide items 0, 1, 2, … over workers into contiguous ranges, evenly or by speed.
//
// Even: shares differ by at most one, and the first ones are larger, as in numpy.array_split.
// Weighted: as proportional to speed as whole items allow: no division ends earlier, if part i takes count(i) /
// speed(i). Part i first gets floor(items speed(i) / sum of speeds); each remaining item goes to the part that would
// finish it first, ties to the lowest index. (Largest remainders, a similar method, are not always fastest: 3 items for
// speeds 2.4 and 0.6 would be 2 and 1, in 1.67; these are 3 and 0, in 1.25.)
// Cost: parts; weighted: at most parts^2.
// Errors: ProgramError for fewer than 0 items, no parts, or speeds that are negative, not finite, or all 0.
#pragma once

#include "libsim/namespaces.hpp"

#include <span>
#include <vector>

namespace sim::parallel {

// Items first, first + 1, … first + count - 1.
struct Share {
    int first = 0;
    int count = 0;
    friend bool operator==(const Share&, const Share&) = default;
};

std::vector<Share> even_shares(int items, int parts);
// One part per speed, in any unit; a part of speed 0 gets nothing.
std::vector<Share> weighted_shares(int items, std::span<const double> speeds);

}  // namespace sim::parallel
