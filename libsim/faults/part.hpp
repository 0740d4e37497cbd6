// These are the parts of a cluster that fail individually.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim::faults {

enum class Part : std::uint8_t { gpu, node, link };
inline constexpr std::array all_parts{Part::gpu, Part::node, Part::link};
inline constexpr std::size_t part_kinds = all_parts.size();
// "GPU", "node", "link".
constexpr const char* name_of(Part part) {
    switch (part) {
        case Part::gpu: return "GPU";
        case Part::node: return "node";
        case Part::link: return "link";
    }
    return "?";
}
// The word in the text of a fault, for what the run loses: "rank", "node", "nic".
constexpr const char* typed_name_of(Part part) {
    switch (part) {
        case Part::gpu: return "rank";
        case Part::node: return "node";
        case Part::link: return "nic";
    }
    return "?";
}

}  // namespace sim::faults
