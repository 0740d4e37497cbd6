// Shares divide items 0, 1, 2, … over workers: contiguous, even or by speed.
//
// Even: shares differ by one at most, the first ones are larger, as numpy.array_split gives them.
// Weighted: as proportional to speed as whole items allow: of all ways to share them, none ends earlier, where
// part i takes count(i) / speed(i). Part i first gets floor(items speed(i) / sum of speeds); each item that is then
// left goes to whoever would have finished it first, ties to the lowest index. (Largest remainders, which look alike,
// are not always the fastest: 3 items for speeds 2.4 and 0.6 would be 2 and 1, in 1.67; these are 3 and 0, in 1.25.)
// Cost: parts, weighted: parts^2 at most.
// Errors: ProgramError for fewer than 0 items, no parts, speeds below 0 or not finite, or all 0.
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
// One part per speed, of any unit; a part of speed 0 gets nothing.
std::vector<Share> weighted_shares(int items, std::span<const double> speeds);

}  // namespace sim::parallel
