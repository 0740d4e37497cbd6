// launch_with_recovery() runs a program that goes on after a rank has died, as a policy says: in another life, which
// begins where the last checkpoint was taken.
//
//   const RecoveryPolicy policy{.on_fault = OnFault::restart, .detection = 30s, .restart = 60s};
//   const Recovered run = launch_with_recovery(options, policy, [](GPU& gpu, const Start& start) {
//       std::int64_t step = start.first_step();
//       Model model = step > 0 ? Model::read(start.state_of(gpu.rank())) : Model::initial();
//       while (step < 100) {
//           model.train(gpu);
//           gpu.checkpoint(++step, model.bytes(), 2s);
//       }
//   });
//
// A life ends when a rank dies at a time T that LaunchOptions names; until T + detection nobody knows of it, and those
// who do not wait for it go on. Then all ranks are ended, in the process host as processes, and after the repair and
// the restart all begin anew at that simulated time. What each rank had done after the checkpoint is lost.
// The same in every run and on every host. A fault that nobody asked for ends the run as it does without a policy.
#pragma once

#include "ranks/launch.hpp"
#include "ranks/standing.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::ranks {

// What happens after the death of a rank. A row of the table in recovery/on_fault.cpp, by its number.
enum class OnFault {
    abort,    // the run has failed
    restart,  // all ranks begin anew, when what has died is repaired
    spare,    // the same, without a repair while there are spares
    elastic,  // those who can go on without the dead do so, fewer than before
};

struct OnFaultRow {
    const char* name;
    const char* sentence;
    bool goes_on;
    bool takes_spares;
    bool shrinks;
};
// In the order of their numbers.
const std::vector<OnFaultRow>& on_fault_rows();
const OnFaultRow& row_of(OnFault on_fault);

struct RecoveryPolicy {
    OnFault on_fault = OnFault::abort;
    Duration detection{0};  // until the launcher knows of a death
    Duration repair{0};     // restart, and spare when none is left: until what has died works again
    Duration restart{0};    // until all ranks are there again and have read their checkpoint
    int spares = 0;         // ranks that can be replaced
    // elastic: the ranks of a life that make up the next one, in their new order, without those that died; empty: none
    // can. By default all others.
    std::function<std::vector<int>(int ranks, const std::vector<int>& dead)> survivors = nullptr;
};

// How a rank's program begins. A place is the number that a rank has in the first life.
struct Start {
    int life = 0;
    std::vector<int> places;                 // of this life's ranks
    std::shared_ptr<const Checkpoint> from;  // null: from the very beginning
    std::vector<int> owners;                 // the places of `from`'s states

    std::int64_t first_step() const { return from ? from->steps : 0; }
    // The state of the rank in the same place. Requires: there is a checkpoint.
    std::span<const std::byte> state_of(int rank) const;
};
using RecoverableProgram = std::function<void(GPU&, const Start&)>;

// Ranks that died.
struct Death {
    Time at;                  // of the first
    std::vector<int> places;  // all that were dead when it was known
    std::string message;
};

// Simulated time of all ranks alike.
struct LostTime {
    Duration checkpoints{0};  // that programs stood still for
    Duration lost_work{0};    // done after the checkpoint from which the next life began
    Duration detection{0};
    Duration repair{0};
    Duration restart{0};

    Duration all() const { return checkpoints + lost_work + detection + repair + restart; }
};

struct Life {
    Time begin;
    Time end;  // of the run; or when the death was known
    std::vector<int> places;
    std::vector<int> pids;        // by rank
    std::int64_t first_step = 0;  // steps done before it
    std::int64_t steps = 0;       // steps done, by all ranks, at its end or when a rank died, the first ones included
    std::int64_t lost_steps = 0;  // of these, those after the last complete checkpoint
    std::optional<Death> death;   // that ended it
    LostTime lost;                // in it, and after it until the next
};

struct Recovered {
    // Of all lives: the end of the last, ranks and reports by place, totals summed. A fault only where the last life
    // ended with one.
    Result result;
    std::vector<Life> lives;
};

// Summed over all lives.
LostTime lost_time(std::span<const Life> lives);
// The part of simulated time that went into steps which count; 1: all of it.
double effective_share(std::span<const Life> lives);

// Throws what launch() throws, and std::invalid_argument for a policy that cannot be. LaunchOptions::standings and
// record are its own.
Recovered launch_with_recovery(const LaunchOptions& options, const RecoveryPolicy& policy,
                               const RecoverableProgram& program);

}  // namespace sim::ranks
