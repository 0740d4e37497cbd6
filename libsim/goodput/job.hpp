// A long job is a training run of weeks: its size, how often its parts fail, how it reacts to a failure, and how long
// each step of the recovery takes.
#pragma once

#include "libsim/faults/failure_rates.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sim::goodput {

using faults::LongDuration;

// The reaction to a failure that has stopped the job.
enum class JobPolicy : std::uint8_t {
    abort,    // the run ends
    restart,  // all nodes restart from the last checkpoint
    elastic,  // intact replicas continue from the last checkpoint; the others rejoin once repaired
};
const char* name_of(JobPolicy policy);
std::vector<std::string> job_policy_names();

struct Checkpoints {
    LongDuration every{0};   // work at full strength between two checkpoints
    LongDuration blocks{0};  // training stalls for this long
    LongDuration beside{0};  // written in the background, then usable for a restore
};

struct LongJob {
    int gpus = 1;
    int gpus_per_node = 1;
    int replicas = 1;  // data parallel, each on an equal share of the GPUs
    faults::FailureRates rates;
    Checkpoints checkpoints;
    LongDuration detection{0};      // from a failure to its detection
    LongDuration restart{0};        // to the first step, once enough nodes are available
    LongDuration planned_every{0};  // 0: no planned interruptions. Each waits for the next checkpoint
    LongDuration planned_takes{0};
    JobPolicy policy = JobPolicy::restart;
    int spares = 0;          // idle nodes that replace failed ones
    LongDuration repair{0};  // from a node's failure until it can be used again
    LongDuration span{0};    // wall time; 0: the run ends when the work is done
    LongDuration work{0};    // at full strength; 0: the run ends with the span

    int nodes() const { return (gpus + gpus_per_node - 1) / gpus_per_node; }
};

// The uses of a job's time; they add up to the wall time.
enum class TimeUse : std::uint8_t {
    productive,  // work that was kept
    degraded,    // work that missing replicas would have done
    checkpoint,
    lost,  // work since the checkpoint that was restored
    detection,
    waiting,  // for a node to be repaired
    restart,
    planned,
    ended,  // after the run was aborted
};
inline constexpr std::size_t time_uses = 9;
struct TimeUseRow {
    const char* key;
    const char* title;
    const char* what = title;  // a longer title
};
// In the order of the enumerators.
extern const std::array<TimeUseRow, time_uses> time_use_rows;

// The node that a part belongs to. Links are spread evenly over the nodes.
int node_of(const LongJob& job, faults::Part part, std::int64_t which);

}  // namespace sim::goodput
