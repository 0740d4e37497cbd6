// This is the table of hosts. Each row holds all that the rest of ndsim needs of a host: its name, its function, and
// how many ranks it can have.
//
// `--host`, its help and its limits, --json, and the tests that run on every host go over its rows
// (docs/how-to/add-a-host.md).
#pragma once

#include "ranks/launch.hpp"

#include <string_view>

namespace sim::ranks {

struct HostRow {
    const char* name;    // what one rank is, and what --host takes: "process"
    const char* plural;  // "processes"
    int most_ranks;
    const char* sentence;  // how ranks live
    Result (*run)(const LaunchOptions&, const Program&);
};

// In the order of their numbers: Host is a row's.
const std::vector<HostRow>& hosts();
const HostRow& row_of(Host host);
inline const char* name_of(Host host) {
    return row_of(host).name;
}

}  // namespace sim::ranks
