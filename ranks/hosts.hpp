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

// Every rank is a forked process, supervised by a single event loop.
// Cost (docs/benchmarks.md): about 0.2 ms per rank to start and reap, 0.01 us per op posted, 1 us per op answered.
// The end of a failed rank is reported, the others are stopped, and no process is left behind.
Result run_as_processes(const LaunchOptions& options, const Program& program);

// Every rank is a fiber with a small stack in this process; one thread runs them in turn.
// Cost (docs/benchmarks.md): 5.6 KB per rank if it touches one page of its stack; under 0.1 us per op.
// A rank that computes forever without an op cannot be interrupted here; the process host can interrupt it.
Result run_as_fibers(const LaunchOptions& options, const Program& program);

// In the order of their numbers: Host is a row's index.
const std::vector<HostRow>& hosts();
const HostRow& row_of(Host host);
inline const char* name_of(Host host) {
    return row_of(host).name;
}

}  // namespace sim::ranks
