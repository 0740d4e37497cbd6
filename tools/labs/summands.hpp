// These functions tell a wrong sum by its summands: which of them a rank's result, or a part of it, holds.
#pragma once

#include "tools/labs/lab.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::labs {

// How often each summand is in a sum.
struct Held {
    std::vector<int> times;
    bool is_certain = true;  // false: only their number is known, which is that of `times`
};

// Returns nullopt if no small whole multiples of the summands add up to the sum.
std::optional<Held> held_in(const std::vector<double>& sum, const std::vector<std::vector<double>>& summands);

// "1 of 4 gradients" and "rank 0's"; "3 of 4 gradients" and "rank 2's is missing". The second may be empty.
struct HeldText {
    std::string count;
    std::string which;
};
HeldText text_of(const Held& held, const Summands& of);

// `On rank 0, chunks 0 and 2 of "gradient" hold 1 of 4 gradients, rank 0's; chunk 3 holds 2 of 4. So …`. Empty: the
// summands do not explain the first wrong rank's numbers.
std::string told_by_summands(const Lab& lab, const Case& played, const Record& found, const Record& reference,
                             const std::string& report);

// Whether some multiples of the summands explain every wrong rank's numbers. Requires: the lab has summands.
bool may_hold_summands(const Lab& lab, const Case& played, const Record& found, const Record& reference,
                       const std::string& report);

// "rank 2", "ranks 0, 1 and 3": at most eight of them.
std::string named_in_words(const std::string& what, const std::vector<int>& numbers);

}  // namespace sim::labs
