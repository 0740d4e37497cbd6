// launch() runs one function as many ranks, in simulated time.
//
// The timeline does not depend on the host: processes and fibers give the same spans, to the picosecond.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/gpu.hpp"
#include "libsim/kernel/wrong_ops.hpp"
#include "libsim/trace/span.hpp"
#include "ranks/exit_code.hpp"
#include "ranks/standing.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sim::replay {

class Recording;

}  // namespace sim::replay

namespace sim::ranks {

// A row of the table in hosts.cpp, by its number; these have a name in C++, too.
enum class Host {
    process,  // every rank is a forked process; up to a few thousand
    // Every rank is a small stack in this process; 100,000 and more. The stack of a rank that loops for ever without an
    // op is left as it is when the watchdog names it, or half a second after a stop signal (in library code two
    // seconds): what lies on it is not destroyed.
    fiber,
};

enum class Clock {
    virtual_time,  // as fast as possible
    wall,          // an op of t simulated seconds ends t * time_scale wall seconds after it began
};

using sim::Program;

// A line of GPU::log.
struct LogLine {
    Time at;      // simulated
    int pid = 0;  // the rank's process; this one for fibers
    int rank = 0;
    std::string text;
};
// "   16.100s [PID 4711] Rank 0: first value 10"
std::string to_text(const LogLine& line);
void log_to_standard_error(const LogLine& line);
using LogSink = std::function<void(const LogLine&)>;

// How far a run has come.
struct Pulse {
    int ranks_finished = 0;
    Time reached;  // the simulated time that has come; Clock::virtual_time: of the rank that is furthest
    std::int64_t messages = 0;
    double share_done = 0;  // as GPU::progress says, of the rank that has come least far; 0: not all say so
    double wall_seconds = 0;
};
// "37 % done, about 12 s left", of a run that has done this share in that time; empty where nobody knows.
std::string progress_text(double share_done, double wall_seconds);

struct LaunchOptions {
    int ranks = 1;
    // The ranks that run the program, ascending. The others have their place in groups and on the machine, and no
    // program: they end at time 0, and who waits for one of them waits in vain. Empty: all of them run.
    std::vector<int> running = {};
    Host host = Host::process;
    Clock clock = Clock::virtual_time;
    double time_scale = 1.0;  // wall seconds per simulated second; Clock::wall only
    Cluster cluster = gpu_py();
    bool hash_timeline = true;  // fill Result::timeline_sha256
    bool record = false;        // fill Result::recording
    // A message that nobody has received when all ranks have returned is no mistake. A collective that a member skipped
    // is one in any case.
    bool allow_unreceived = false;
    // What the run is to suffer. A rank that dies as a process is really killed, by SIGKILL; one that is stopped, by
    // SIGSTOP. The timeline is the same in every run and on every host.
    std::vector<faults::Injection> faults = {};
    Time begin = Time{};               // simulated time at which all ranks begin
    std::vector<Time> standings = {};  // fill Result::standings at these times, which ascend
    // Called once, before anything is simulated, with the process of every rank.
    std::function<void(const std::vector<int>& pids)> on_start = nullptr;
    // A one-line notice to the launcher's user during the run: a rank that was stopped, say, or the progress of a long
    // run.
    std::function<void(const std::string& what)> on_notice = nullptr;
    std::chrono::milliseconds progress{10'000};  // how often a long run in virtual time says so; 0: never
    // Called when the ranks have started and then about so often, by the thread that launched the run. It changes
    // nothing of the timeline.
    std::function<void(const Pulse&)> on_pulse = nullptr;
    std::chrono::milliseconds pulse{100};
    // Receives the lines that ranks log, in the order of simulated time, then of ranks. Null: they are dropped.
    LogSink on_log = log_to_standard_error;
    SpanSink on_span = nullptr;  // called for every span; per rank in program order
    // Called for each GPU::step_done, with what it was told. A rank's spans that end before may come later.
    std::function<void(int rank, std::int64_t steps, Time at)> on_step_done = nullptr;
    std::function<void(Time)> on_time = nullptr;  // Clock::wall: called as simulated time is released
    std::chrono::milliseconds watchdog{30'000};   // a rank that runs its own code for so long without an op is hung
    // What stands between a rank's program and its port, and so sees every op: made and destroyed in the rank.
    std::function<std::unique_ptr<Port>(Port&)> port_between = nullptr;
    // Of data that a rank has sent and nobody has received yet: beyond it the run ends, and names the rank. 0: half of
    // the memory that is there when the run begins; all ranks together may have that much.
    std::size_t most_unreceived_bytes = 0;
    std::size_t stack_bytes = 0;  // fiber: stack of a rank; 0: 256 KiB up to 4,096 ranks, else 64 KiB

    bool runs(int rank) const;
    int count_of_running() const { return running.empty() ? ranks : static_cast<int>(running.size()); }
};

// The reason why a run failed. The numbers are the executables' exit codes.
enum class Failure {
    out_of_range = exit_code::usage,  // the program's simulated time, or what it counts
    mismatch_or_deadlock = exit_code::deadlock,
    rank_died = exit_code::rank_died,
    rank_hung = exit_code::rank_hung,
    machine_limit = exit_code::machine_limit,
    interrupted = exit_code::stopped,  // plus the signal, see exit_code()
};

// What is wrong with a program, where that ended the run.
enum class Mistake {
    none,
    deadlock,  // ranks wait for what never comes
    mismatch,  // ranks mean different things
    other,     // an op that cannot be: one without a price, memory freed that was not there
};

struct Fault {
    Failure failure = Failure::rank_died;
    Mistake mistake = Mistake::none;  // Failure::mismatch_or_deadlock: which
    int rank = -1;                    // -1: no single rank
    int signal = 0;                   // the signal that ended the rank or the run; 0: none
    std::string message;              // complete, of one or more lines
    bool as_asked = false;            // what LaunchOptions::faults ask for ended the run
    std::vector<int> dead = {};       // the ranks that died so
    // That it is about, where they are known: in a deadlock, and after faults that were asked for, those that can
    // never go on.
    std::vector<kernel::WrongOp> ops = {};
};

// What the process of a rank has really used.
struct ProcessUse {
    std::int64_t peak_resident_bytes = 0;
    double cpu_seconds = 0;  // its own code and the system's for it
};

struct Result {
    std::optional<Fault> fault;
    Time end;  // of the last rank
    double wall_seconds = 0;
    std::vector<int> pids;          // of each rank; this process for fibers; 0: it did not run
    std::vector<RankTotals> ranks;  // up to where the run came
    std::vector<ProcessUse> used;   // by each rank's process; empty for fibers
    std::int64_t messages = 0;
    std::int64_t ops = 0;
    std::string timeline_sha256;
    // The ops of a run that ended well, to be replayed on any network or written down (libsim/replay/recording.hpp).
    std::shared_ptr<const replay::Recording> recording;
    // The values that ranks handed over with GPU::report: by name, then rank.
    std::map<std::string, std::map<int, std::vector<double>>> reports;

    // How far all ranks had come at LaunchOptions::standings.
    std::vector<Standing> standings;

    bool ok() const { return !fault; }
    int exit_code() const;  // 0, or the contract's code
};

// Forks (Host::process) before it starts anything else; call it before threads exist.
// Throws std::invalid_argument for options that cannot be (0 ranks, a time scale below 0). Simulated time that leaves
// its range of 106 days is a fault of the run.
Result launch(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
