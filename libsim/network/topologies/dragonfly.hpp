// A dragonfly connects groups of routers: all with all within a group, and every group with every other one.
//
//     group 0                 group 1          p GPUs a router, a routers a group, h global ports a router;
//     r0 --- r1 ============= r0 --- r1        at most g = a h + 1 groups.
//     | \    | \              | \    | \       Cables: n + g a (a - 1) / 2 + g (g - 1) / 2 x c,
//     g0 g1  g2 g3            g4 g5  g6 g7     c = floor(a h / (g - 1)) between each two groups.
//
// The global ports of group i are numbered from its router 0 on. Port q leads to group (i + 1 + q mod (g - 1)) mod g;
// those beyond c (g - 1) are left free.
// Route, minimal: up to the router, within the group to the router that holds the global cable, over it, within the
// other group, down. 2 to 5 links; of the c cables between two groups the one of number  target mod c. No detours
// through a third group (Valiant), so all traffic between two groups shares c cables. Bisection bandwidth: the least of
// n / 2 GPU cables and (g / 2)^2 c global ones; one group: of n / 2 and (a / 2)^2 local. Levels: the GPUs of a router,
// those of a group. Source: Kim, Dally, Scott & Abts, Technology-driven, highly-scalable dragonfly topology, ISCA
// (2008).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

struct Dragonfly {
    int gpus_per_router = 4;
    int routers_per_group = 8;
    int global_ports = 4;  // of a router
    Wire wire;             // from a GPU to its router
    Wire local;            // within a group; bandwidth 0: as `wire`
    Wire global;           // between groups; bandwidth 0: as `wire`
};

// Throws ProgramError where the GPUs fill no whole number of groups, or more than the global ports can connect.
// Fewer GPUs than a group has make one group of fewer routers, whole ones.
Topology dragonfly(int gpus, const Dragonfly& options);

// By a number of GPUs: balanced, h = p and a = 2 p (Kim et al.), of the smallest p whose groups the GPUs fill. Of a
// file: gpus_per_router, routers_per_group, global_ports, local_bytes_per_second … and global_….
TopologyRow dragonfly_row();

}  // namespace sim::network
