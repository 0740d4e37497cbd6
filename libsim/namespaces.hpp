// Each room has a namespace. Those whose words a rank program speaks are inline, so that it says sim::all_reduce,
// sim::Mesh and sim::LogGP without naming a room.
#pragma once

namespace sim {

inline namespace network {}
inline namespace collectives {}
inline namespace parallel {}
inline namespace trace {}

}  // namespace sim
