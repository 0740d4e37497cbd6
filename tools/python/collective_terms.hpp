// The terms of a collective, that is, everything its members must agree on, parsed from a Python call.
#pragma once

#include "libsim/algorithm.hpp"
#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <optional>
#include <string>

namespace sim::python {

struct CollectiveTerms {
    const char* name = "";  // the name of the Python method
    CollectiveKind kind = CollectiveKind::barrier;
    Group group;
    std::optional<Size> size;
    int root = -1;  // none
    Reduction reduction = Reduction::sum;
    AlgorithmConfig config;
    bool whole = false;  // one op priced for its size, with its data beside it
};

// Taken verbatim from the call; an empty name means the kind's default.
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

// Throws ProgramError, with the closest name.
CollectiveKind kind_named(const std::string& name);
Reduction reduction_named(const std::string& name);
AlgorithmConfig config_of(CollectiveKind kind, const AlgorithmWords& words);
// Throws ProgramError if neither data nor a size was given.
Size size_of(const CollectiveTerms& terms);

}  // namespace sim::python
