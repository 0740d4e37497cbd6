// The parts of a cluster that fail, each by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim::faults {

enum class Part : std::uint8_t { gpu, node, link };
inline constexpr std::array all_parts{Part::gpu, Part::node, Part::link};
inline constexpr std::size_t part_kinds = all_parts.size();
const char* name_of(Part part);  // "GPU", "node", "link"
// In the sentence of a fault, which names what of a run is gone then: "rank", "node", "nic".
const char* typed_name_of(Part part);

}  // namespace sim::faults
