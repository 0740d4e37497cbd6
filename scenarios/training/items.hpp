// What is learned: items of 8 inputs, and what a fixed teacher makes of them.
//
// An item follows from the seed and its number alone: a rank makes those it has, and no data is loaded or sent.
#pragma once

#include <array>
#include <cstdint>

namespace sim::training {

inline constexpr int item_inputs = 8;
inline constexpr int item_outputs = 4;

struct Item {
    std::array<double, item_inputs> input{};
    std::array<double, item_outputs> target{};
};

// The teacher is one layer of tanh over pairs of inputs: smooth, not linear, and within (-1, 1).
Item make_item(std::uint64_t seed, int number);

// Items first, first + 1, … first + count - 1.
struct Share {
    int first = 0;
    int count = 0;
};

// Contiguous shares as equal as can be: the first `items % ranks` ranks have one more, as numpy.array_split gives them.
// Requires: 0 <= rank < ranks.
Share share_of(int items, int ranks, int rank);

}  // namespace sim::training
