// launch() runs one function as many ranks, in simulated time.
//
// The timeline does not depend on the host: processes and fibers give the same spans, to the picosecond.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/gpu.hpp"
#include "libsim/kernel/parts/wrong_ops.hpp"
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

// A row number of the table in hosts.cpp; these rows also have a C++ name.
enum class Host {
    process,  // every rank is a forked process; up to a few thousand
    // Every rank is a small stack in this process; 100,000 and more. If a rank loops forever without an op, its stack
    // is abandoned when the watchdog reports it, or half a second after a stop signal (in library code two seconds):
    // objects on it are not destroyed.
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
    int pid = 0;  // of the rank's process; this one for fibers
    int rank = 0;
    std::string text;
};
// "   16.100s [PID 4711] Rank 0: first value 10"
std::string to_text(const LogLine& line);
void log_to_standard_error(const LogLine& line);
using LogSink = std::function<void(const LogLine&)>;

// The progress of a run.
struct Pulse {
    int ranks_finished = 0;
    Time reached;  // simulated time reached; Clock::virtual_time: by the rank that is furthest ahead
    std::int64_t messages = 0;
    double share_done = 0;  // least value that ranks reported by GPU::progress; 0: not all report it
    double wall_seconds = 0;
};
// "37 % done, about 12 s left", for a run that has done this share in that time; empty if unknown.
std::string progress_text(double share_done, double wall_seconds);

struct LaunchOptions {
    int ranks = 1;
    // The ranks that run the program, ascending. The others keep their place in groups and on the machine but have no
    // program: they end at time 0, and a rank that waits for one of them waits in vain. Empty: all of them run.
    std::vector<int> running = {};
    Host host = Host::process;
    Clock clock = Clock::virtual_time;
    double time_scale = 1.0;  // wall seconds per simulated second; Clock::wall only
    Cluster cluster = gpu_py();
    bool hash_timeline = true;  // fills Result::timeline_sha256
    bool record = false;        // fills Result::recording
    // A message that was not received when all ranks have returned is not an error. A collective that a member skipped
    // always is.
    bool allow_unreceived = false;
    // The faults of the run. In the process host, a rank that dies is really killed, by SIGKILL, and one that stops
    // really stopped, by SIGSTOP. The timeline is the same in every run and on every host.
    std::vector<faults::Injection> faults = {};
    Time begin = Time{};               // simulated time at which all ranks begin
    std::vector<Time> standings = {};  // fills Result::standings at these times, which are ascending
    // Called once, before anything is simulated, with the process of every rank.
    std::function<void(const std::vector<int>& pids)> on_start = nullptr;
    // A one-line notice to the launcher's user during the run, such as a rank that was stopped, or the progress of a
    // long run.
    std::function<void(const std::string& what)> on_notice = nullptr;
    std::chrono::milliseconds progress{10'000};  // interval of progress notices of a long run in virtual time; 0: none
    // Called when the ranks have started and then at about this interval, by the thread that launched the run. Does not
    // affect the timeline.
    std::function<void(const Pulse&)> on_pulse = nullptr;
    std::chrono::milliseconds pulse{100};
    // Receives the lines that ranks log, ordered by simulated time, then by rank. Null: they are dropped.
    LogSink on_log = log_to_standard_error;
    SpanSink on_span = nullptr;  // called for every span; per rank in program order
    // Called for each GPU::step_done, with its values. Spans of the rank that end earlier may be reported later.
    std::function<void(int rank, std::int64_t steps, Time at)> on_step_done = nullptr;
    std::function<void(Time)> on_time = nullptr;  // Clock::wall: called as simulated time is released
    std::chrono::milliseconds watchdog{30'000};   // a rank that runs its own code this long without an op is hung
    // A port between a rank's program and its real port, which sees every op: created and destroyed in the rank.
    std::function<std::unique_ptr<Port>(Port&)> port_between = nullptr;
    // The most data that a rank may have sent and nobody received yet: beyond it the run ends, naming the rank. 0: half
    // of the memory available when the run begins, which is also the limit for all ranks together.
    std::size_t most_unreceived_bytes = 0;
    std::size_t stack_bytes = 0;  // stack size of a rank, for fibers; 0: 256 KiB up to 4,096 ranks, else 64 KiB

    bool runs(int rank) const;
    int count_of_running() const { return running.empty() ? ranks : static_cast<int>(running.size()); }
};

// The reason why a run failed. The numbers are the executables' exit codes.
enum class Failure {
    out_of_range = exit_code::usage,  // the program's simulated time, or a counter
    mismatch_or_deadlock = exit_code::deadlock,
    rank_died = exit_code::rank_died,
    rank_hung = exit_code::rank_hung,
    machine_limit = exit_code::machine_limit,
    interrupted = exit_code::stopped,  // plus the signal, see exit_code()
};

// The error in a program, if that ended the run.
enum class Mistake {
    none,
    deadlock,  // ranks wait for something that never comes
    mismatch,  // ranks disagree
    other,     // an impossible op: without a price, or freeing memory that was not allocated
};

struct Fault {
    Failure failure = Failure::rank_died;
    Mistake mistake = Mistake::none;  // for Failure::mismatch_or_deadlock, which
    int rank = -1;                    // -1: no single rank
    int signal = 0;                   // the signal that ended the rank or the run; 0: none
    std::string message;              // complete, of one or more lines
    bool as_asked = false;            // a fault from LaunchOptions::faults ended the run
    std::vector<int> dead = {};       // ranks that died this way
    // The ops concerned, if known: in a deadlock, and after injected faults, those of ranks that can never go on.
    std::vector<kernel::WrongOp> ops = {};
};

// Resources that the process of a rank really used.
struct ProcessUse {
    std::int64_t peak_resident_bytes = 0;
    double cpu_seconds = 0;  // user and system time
};

struct Result {
    std::optional<Fault> fault;
    Time end;  // of the last rank
    double wall_seconds = 0;
    std::vector<int> pids;          // by rank; this process for fibers; 0: it did not run
    std::vector<RankTotals> ranks;  // up to the point that the run reached
    std::vector<ProcessUse> used;   // by rank, for its process; empty for fibers
    std::int64_t messages = 0;
    std::int64_t ops = 0;
    std::string timeline_sha256;
    // The ops of a successful run, to be replayed on any network or saved (libsim/replay/recording.hpp).
    std::shared_ptr<const replay::Recording> recording;
    // The values that ranks reported with GPU::report: by name, then rank.
    std::map<std::string, std::map<int, std::vector<double>>> reports;

    // The progress of all ranks at LaunchOptions::standings.
    std::vector<Standing> standings;

    bool ok() const { return !fault; }
    int exit_code() const;  // 0, or the documented exit code
};

// Forks (Host::process) before it starts anything else; call it before creating threads.
// Throws std::invalid_argument for invalid options (0 ranks, a time scale below 0). Simulated time beyond its range of
// 106 days is a fault of the run.
Result launch(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
