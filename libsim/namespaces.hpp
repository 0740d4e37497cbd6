// Each folder has a namespace. Those whose names a rank program uses are inline, so that it can write sim::all_reduce,
// sim::Mesh and sim::LogGP without naming the folder.
#pragma once

namespace sim {

inline namespace network {}
inline namespace collectives {}
inline namespace parallel {}
inline namespace trace {}

}  // namespace sim
