// Topologies by name, sized by the number of GPUs: real systems (systems.hpp) and plain shapes.
//
// The plain shapes have cables of 50 GB/s (400 Gb/s) and 500 ns each way.
//   ring · fully-connected · switch
//   torus-2d, torus-3d   sides as equal as can be, the greatest last
//   fat-tree             leaf and spine of the smallest switches that do, of 4, 8, … 128 ports; over 8,192 GPUs three
//                        levels of 64 ports
//   dragonfly            balanced: h = p, a = 2 p (Kim et al.), the smallest p whose groups the GPUs fill
#pragma once

#include "libsim/network/topology.hpp"

namespace sim {

struct NamedTopology {
    const char* name;
    const char* what;  // in a few words
    Topology (*build)(int gpus);
};
std::vector<NamedTopology> named_topologies();
std::vector<std::string> topology_names();

// Throws ProgramError for a name that is none, with the nearest that is, and for a number of GPUs that does not fit,
// with the nearest numbers that do.
Topology named_topology(const std::string& name, int gpus);

}  // namespace sim
