// Volume that each rank of a layout sends in a step, by docs/formulas.md: a sum over the axes of its mesh.
#pragma once

#include "scenarios/options/options.hpp"

#include <cstdint>
#include <ostream>

namespace sim::test {

struct Volume {
    double units = 0;
    std::int64_t messages = 0;
    friend bool operator==(const Volume&, const Volume&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const Volume& volume) {
    return out << volume.units << " units in " << volume.messages << " messages";
}
inline Volume operator+(const Volume& a, const Volume& b) {
    return {a.units + b.units, a.messages + b.messages};
}
// `count` messages of `units` each.
inline Volume messages(std::int64_t count, double units) {
    return {static_cast<double>(count) * units, count};
}

// Volume of any rank of pipeline stage `stage` in one step. Requires: no parameter server, no compression, no
// processing of items one by one; sizes that every split divides.
Volume volume_of(const scenarios::Options& options, int stage);

}  // namespace sim::test
