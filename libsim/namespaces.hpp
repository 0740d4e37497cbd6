// Each folder has a namespace. Namespaces with names that rank programs use are inline, so that a program can write
// sim::all_reduce, sim::Mesh and sim::LogGP without naming the folder.
#pragma once

namespace sim {

inline namespace network {}
inline namespace collectives {}
inline namespace parallel {}
inline namespace trace {}

}  // namespace sim
