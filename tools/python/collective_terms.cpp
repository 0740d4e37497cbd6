#include "tools/python/collective_terms.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::python {

namespace {

void require_between(const char* name, int value, int low, int high) {
    if (value < low || value > high) {
        throw ProgramError(fmt::format("{} must be {} to {}, not {}", name, low, high, value));
    }
}

}  // namespace

// By the name of the GPU method.
CollectiveKind kind_named(const std::string& name) {
    std::vector<std::string> known;
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const auto kind = static_cast<CollectiveKind>(number);
        known.emplace_back(name_of(kind));
        std::replace(known.back().begin(), known.back().end(), '-', '_');
        if (name == known.back()) {
            return kind;
        }
    }
    throw ProgramError(fmt::format("there is no collective \"{}\"{}", name, did_you_mean(name, known)));
}

Reduction reduction_named(const std::string& name) {
    std::vector<std::string> known;
    for (const Reduction reduction : {Reduction::sum, Reduction::average, Reduction::max}) {
        known.emplace_back(name_of(reduction));
        if (name == known.back()) {
            return reduction;
        }
    }
    throw ProgramError(
        fmt::format("reduction must be {}, not \"{}\"{}", fmt::join(known, ", "), name, did_you_mean(name, known)));
}

AlgorithmConfig config_of(CollectiveKind kind, const AlgorithmWords& words) {
    require_between("channels", words.channels, 1, most_channels);
    require_between("pieces", words.pieces, 0, most_pieces);
    require_between("inner", words.inner, 0, most_inner);
    require_between("middle", words.middle, 0, most_inner);
    const AlgorithmParameters parameters{
        .channels = words.channels, .pieces = words.pieces, .inner = words.inner, .middle = words.middle};
    if (words.name.empty()) {
        return {default_algorithm(kind), parameters};
    }
    std::string name = words.name;
    std::replace(name.begin(), name.end(), '_', '-');
    std::vector<std::string> known;
    for (const Algorithm algorithm : algorithms_of(kind)) {
        known.emplace_back(collectives::name_of(algorithm));
        if (name == known.back()) {
            return {algorithm, parameters};
        }
    }
    throw ProgramError(fmt::format("algorithm of {} must be {}, not \"{}\"{}", sim::name_of(kind),
                                   fmt::join(known, ", "), words.name, did_you_mean(name, known)));
}

Size size_of(const CollectiveTerms& terms) {
    if (!terms.size) {
        throw ProgramError(fmt::format("{} needs data, or a size: units= or bytes=", terms.name));
    }
    return *terms.size;
}

}  // namespace sim::python
