// The terms of a collective are all that its members must agree on, from the words of a Python call.
#pragma once

#include "libsim/algorithm.hpp"
#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <optional>
#include <string>

namespace sim::python {

struct CollectiveTerms {
    const char* name = "";  // as Python calls it
    CollectiveKind kind = CollectiveKind::barrier;
    Group group;
    std::optional<Size> size;
    int root = -1;  // none
    Reduction reduction = Reduction::sum;
    AlgorithmConfig config;
    bool whole = false;  // one op of its size's price, with its data beside it
};

// As they stand in the call; no name: the kind's own.
struct AlgorithmWords {
    const std::string& name;
    int channels = 1;
    int pieces = 0;
    int inner = 0;
    int middle = 0;
};

constexpr bool adds_up(CollectiveKind kind) {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce ||
           kind == CollectiveKind::reduce_scatter;
}
constexpr bool leaves_chunks(CollectiveKind kind) {
    return kind == CollectiveKind::scatter || kind == CollectiveKind::reduce_scatter;
}

// Throws ProgramError, with the nearest name.
CollectiveKind kind_named(const std::string& name);
Reduction reduction_named(const std::string& name);
AlgorithmConfig config_of(CollectiveKind kind, const AlgorithmWords& words);
// Throws ProgramError where neither data nor a size was given.
Size size_of(const CollectiveTerms& terms);

}  // namespace sim::python
