// launch_with_recovery() runs a program that survives the death of a rank according to a policy: in another life, which
// begins at the last checkpoint.
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
// A life ends when a rank dies at a time T that LaunchOptions names; until T + detection nobody knows of it, and ranks
// that do not wait for it continue. Then all ranks are ended (with the process host, their processes), and after the
// repair and the restart all begin again at that simulated time. The work that each rank has done since the checkpoint
// is lost.
// The timeline is the same in every run and on every host. A fault that was not injected ends the run as it does
// without a policy.
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

// The reaction to the death of a rank. A row number of the table in recovery/on_fault.cpp.
enum class OnFault {
    abort,    // the run fails
    restart,  // all ranks restart once the dead ones are repaired
    spare,    // the same, without a repair as long as there are spares
    elastic,  // the ranks that can continue without the dead do so, fewer than before
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
    Duration detection{0};  // time until the launcher knows of a death
    Duration repair{0};     // restart, and spare if none is left: time until the dead parts work again
    Duration restart{0};    // time until all ranks are up again and have read their checkpoint
    int spares = 0;         // number of ranks that can be replaced
    // elastic: the ranks of a life that form the next one, in their new order, without those that died; empty: none
    // can. Default: all others.
    std::function<std::vector<int>(int ranks, const std::vector<int>& dead)> survivors = nullptr;
};

// The start of a rank's program. A place is the number that a rank has in the first life.
struct Start {
    int life = 0;
    std::vector<int> places;                 // of this life's ranks
    std::shared_ptr<const Checkpoint> from;  // null: from the very beginning
    std::vector<int> owners;                 // places of the states in `from`

    std::int64_t first_step() const { return from ? from->steps : 0; }
    // The state of the rank in the same place. Requires: there is a checkpoint.
    std::span<const std::byte> state_of(int rank) const;
};
using RecoverableProgram = std::function<void(GPU&, const Start&)>;

// Ranks that died.
struct Death {
    Time at;                  // of the first death
    std::vector<int> places;  // all that were dead when it was detected
    std::string message;
};

// Simulated time, the same for all ranks.
struct LostTime {
    Duration checkpoints{0};  // during which programs stood still
    Duration lost_work{0};    // done since the checkpoint from which the next life began
    Duration detection{0};
    Duration repair{0};
    Duration restart{0};

    Duration all() const { return checkpoints + lost_work + detection + repair + restart; }
};

struct Life {
    Time begin;
    Time end;  // of the run; or when the death was detected
    std::vector<int> places;
    std::vector<int> pids;        // by rank
    std::int64_t first_step = 0;  // steps done before this life
    std::int64_t steps = 0;       // steps done, by all ranks, at its end or at a rank's death, including first_step
    std::int64_t lost_steps = 0;  // of these, those after the last complete checkpoint
    std::optional<Death> death;   // the one that ended it
    LostTime lost;                // during this life, and after it until the next
};

struct Recovered {
    // The result over all lives: the end of the last, ranks and reports by place, totals summed. Has a fault only if
    // the last life ended with one.
    Result result;
    std::vector<Life> lives;
};

// Summed over all lives.
LostTime lost_time(std::span<const Life> lives);
// The fraction of simulated time spent on steps that count; 1: all of it.
double effective_share(std::span<const Life> lives);

// Throws what launch() throws, and std::invalid_argument for an invalid policy. It sets LaunchOptions::standings and
// record itself.
Recovered launch_with_recovery(const LaunchOptions& options, const RecoveryPolicy& policy,
                               const RecoverableProgram& program);

}  // namespace sim::ranks
