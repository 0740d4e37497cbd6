// Runs one function as many ranks, in simulated time.
//
// The timeline does not depend on the host: processes and fibers give the same spans, to the picosecond.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/gpu.hpp"
#include "libsim/trace/span.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::ranks {

enum class Host {
    process,  // every rank is a forked process; up to a few thousand
    fiber,    // every rank is a small stack in this process; 100,000 and more
};

enum class Clock {
    virtual_time,  // as fast as possible
    wall,          // an op of t simulated seconds ends t * time_scale wall seconds after it began
};

using sim::Program;

struct LaunchOptions {
    int ranks = 1;
    Host host = Host::process;
    Clock clock = Clock::virtual_time;
    double time_scale = 1.0;  // wall seconds per simulated second; Clock::wall only
    Cluster cluster = gpu_py();
    bool hash_timeline = true;  // fill Result::timeline_sha256
    // Called once, before anything is simulated, with the process of every rank.
    std::function<void(const std::vector<int>& pids)> on_start = nullptr;
    // What the launcher's user should know while the run goes on, as one line: a rank that was stopped, say.
    std::function<void(const std::string& what)> on_notice = nullptr;
    SpanSink on_span = nullptr;                   // called for every span; per rank in program order
    std::function<void(Time)> on_time = nullptr;  // Clock::wall: called as simulated time is released
    std::chrono::milliseconds watchdog{30'000};   // a rank that runs its own code for so long without an op is hung
    std::size_t stack_bytes = 0;                  // fiber: stack of a rank; 0: 256 KiB up to 4,096 ranks, else 64 KiB
};

// Why a run did not end well. The numbers are the executables' exit codes.
enum class Failure {
    mismatch_or_deadlock = 3,
    rank_died = 4,
    rank_hung = 5,
    machine_limit = 7,
    interrupted = 128,  // plus the signal, see exit_code()
};

struct Fault {
    Failure failure = Failure::rank_died;
    int rank = -1;        // -1: no single rank
    int signal = 0;       // the signal that ended the rank or the run; 0: none
    std::string message;  // complete, of one or more lines
};

struct Result {
    std::optional<Fault> fault;
    Time end;  // of the last rank
    double wall_seconds = 0;
    std::vector<int> pids;          // of each rank; this process for fibers
    std::vector<RankTotals> ranks;  // up to where the run came
    std::int64_t messages = 0;
    std::int64_t ops = 0;
    std::string timeline_sha256;
    // What ranks handed over with GPU::report: by name, then rank.
    std::map<std::string, std::map<int, std::vector<double>>> reports;

    bool ok() const { return !fault; }
    int exit_code() const;  // 0, or the contract's code
};

// Forks (Host::process) before it starts anything else; call it before threads exist.
// Throws std::invalid_argument for options that cannot be (0 ranks, a time scale below 0), and std::overflow_error,
// with no rank left behind, where simulated time leaves its range of 106 days.
Result launch(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
