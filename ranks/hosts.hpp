// This is the table of hosts. Each row holds all that the rest of ndsim needs to know about a host: its name, its
// function, and how many ranks it can have.
//
// `--host`, its help and its limits, --json, and the tests that run on every host iterate over its rows
// (docs/how-to/add-a-host.md).
#pragma once

#include "ranks/launch.hpp"

#include <string_view>

namespace sim::ranks {

struct HostRow {
    const char* name;    // the unit that holds one rank, and the value of --host: "process"
    const char* plural;  // "processes"
    int most_ranks;
    const char* sentence;  // a description of how ranks live
    Result (*run)(const LaunchOptions&, const Program&);
};

// In the order of their numbers: Host is a row's index.
const std::vector<HostRow>& hosts();
const HostRow& row_of(Host host);
inline const char* name_of(Host host) {
    return row_of(host).name;
}

}  // namespace sim::ranks
