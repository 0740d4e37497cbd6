// A rank that is killed at a simulated time, and those that can then never go on: what each waits in, since when, and
// for whom.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::kernel {

// A rank that dies on purpose: at the first op that it would begin at this simulated time or later, which it does not
// begin. All others go on as far as they can without it. One that has finished by then lives.
struct Kill {
    int rank = 0;
    Time at;
};

struct Waiting {
    int rank = -1;
    std::uint32_t op_number = 0;
    std::string what = {};  // the op it is in
    std::string why = {};   // why that can never end
    int waits_for = -1;     // one rank that would have to act; -1: any would do
    Time since = {};
    bool is_root = false;  // nobody else's waiting explains it
};

// A line for each, beginning with a line break: "rank 1, op 3: receive from 0   nothing was sent; rank 0 has died". Of
// many, those that come first, and how many more there are.
std::string lines_of(const std::vector<Waiting>& ranks);

}  // namespace sim::kernel
