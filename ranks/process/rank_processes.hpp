// This class starts the rank processes together, in a process group of their own, and never leaves any behind.
//
// It must fork before anything else exists: threads, loggers and event loops do not survive a fork. A child dies with
// its parent, touches only its own memory, and exits by _exit.
#pragma once

#include "ranks/host/machine_limits.hpp"
#include "ranks/launch.hpp"
#include "ranks/process/arena.hpp"
#include "ranks/process/descendants.hpp"
#include "ranks/process/doorbells.hpp"
#include "ranks/process/lines.hpp"
#include "ranks/process/shared_memory.hpp"
#include "ranks/process/signals.hpp"

#include <sys/resource.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim::ranks {

// The cores that this process may use, at least 1.
int cores();

class RankProcesses {
public:
    // Starts them all, or throws MachineLimit and leaves none. The ranks unblock their signals; the caller does so once
    // it can handle them.
    RankProcesses(const LaunchOptions& options, const Program& program, SignalsBlocked& blocked);
    // Kills and reaps the remaining processes.
    ~RankProcesses();
    RankProcesses(const RankProcesses&) = delete;
    RankProcesses& operator=(const RankProcesses&) = delete;

    struct MachineLimit : std::runtime_error {
        using std::runtime_error::runtime_error;
    };

    // Requires: the rank runs.
    RankMemory& memory(int rank) { return *object_in<RankMemory>(memories_[static_cast<std::size_t>(rank)]); }
    SupervisorMemory& supervisor() { return *object_in<SupervisorMemory>(word_of_supervisor_); }
    Arenas& arenas() { return arenas_; }
    Flags& flags() { return *flags_; }
    // Readable when a rank rings; then call hear_lines().
    int doorbell() const { return lines_.descriptor(); }
    void hear_lines();
    // By rank; 0: it does not run.
    const std::vector<int>& pids() const { return pids_; }

    // A rank that stopped, continued, or ended.
    struct Change {
        int rank;
        int status;  // as from waitpid
    };
    // Ranks in the process group report by SIGCHLD; one that left the group must be polled, at one system call each.
    enum class Look { at_group, at_each };
    // The changes since the last call.
    std::vector<Change> changes(Look look);
    int running() const { return running_; }
    // By rank, for those that have ended.
    const std::vector<ProcessUse>& used() const { return used_; }

    // Requires: its end has not been reported.
    void signal(int rank, int number);
    // Sends SIGKILL to one rank and waits for its end, up to this time; returns its status, as from waitpid. Empty: it
    // has not ended. Requires: its end has not been reported.
    std::optional<int> kill(int rank, std::chrono::milliseconds at_most);
    // Sends SIGKILL to all that are left, and to the processes that they have started.
    void kill_all();
    // Waits until all have ended, as long as one of them ends within this time: on a busy machine thousands take longer
    // together. Then ends the processes that they started, up to this time. False: some are left.
    bool reap_all(std::chrono::milliseconds for_the_next);

private:
    void require_room(int ranks) const;
    void end();
    void share_words(int ranks);
    void fork_all(const LaunchOptions& options, const Program& program, SignalsBlocked& blocked);
    int fork_one(int rank, const LaunchOptions& options);
    void map_memories();
    [[noreturn]] void be_rank(int rank, const LaunchOptions& options, const Program& program);
    // Called in the rank's process: maps its own memory, and nothing of the others'.
    Mapping own_memory(int rank);
    void forget_others();
    void note_end(std::size_t rank, const rusage& used);

    FileLimit files_;
    Descendants descendants_;
    Lines lines_;
    Arenas arenas_;
    Descriptor word_;             // the supervisor's
    Mapping word_of_supervisor_;  // writable
    Mapping word_for_ranks_;      // read-only
    Mapping flag_words_;
    std::optional<Flags> flags_;
    std::vector<Descriptor> unmapped_;  // until all ranks are forked, so that each has only its own
    std::vector<Mapping> memories_;     // afterwards
    int group_ = 0;                     // 0: none started
    std::vector<int> pids_;
    std::unordered_map<int, std::size_t> rank_of_;  // by pid
    std::vector<bool> ended_;
    std::vector<ProcessUse> used_;
    int running_ = 0;
};

}  // namespace sim::ranks
