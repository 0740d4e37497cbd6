// A long job is a training run of weeks: its size, how often parts of it fail, what it does about that, and what each
// step of the recovery takes.
#pragma once

#include "libsim/faults/failure_rates.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sim::goodput {

using faults::LongDuration;

// What follows when a failure has stopped the job.
enum class JobPolicy : std::uint8_t {
    abort,    // the run ends
    restart,  // all nodes again, from the last checkpoint
    elastic,  // the replicas that are whole go on from the last checkpoint; the others come back when repaired
};
const char* name_of(JobPolicy policy);
std::vector<std::string> job_policy_names();

struct Checkpoints {
    LongDuration every{0};   // work at full strength between two of them
    LongDuration blocks{0};  // the training stands still
    LongDuration beside{0};  // the training goes on while it is written; only then it can be restored
};

struct LongJob {
    int gpus = 1;
    int gpus_per_node = 1;
    int replicas = 1;  // data parallel: each has its share of the GPUs
    faults::FailureRates rates;
    Checkpoints checkpoints;
    LongDuration detection{0};      // from a failure until it is noticed
    LongDuration restart{0};        // from there until the first step, once there are nodes
    LongDuration planned_every{0};  // 0: no planned interruptions. Each comes after the checkpoint that is next
    LongDuration planned_takes{0};
    JobPolicy policy = JobPolicy::restart;
    int spares = 0;          // nodes that wait to replace others
    LongDuration repair{0};  // until a failed node can be used again, from its failure
    LongDuration span{0};    // of wall time; 0: until the work is done
    LongDuration work{0};    // at full strength; 0: until the span is over

    int nodes() const { return (gpus + gpus_per_node - 1) / gpus_per_node; }
};

// What a moment of the job was spent on. The times of all add up to the wall time.
enum class TimeUse : std::uint8_t {
    productive,  // work that was kept
    degraded,    // what replicas that were missing would have done meanwhile
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
    const char* what = title;  // in more words
};
// In the order of the enumerators.
extern const std::array<TimeUseRow, time_uses> time_use_rows;

// A node that a part belongs to. Links are spread evenly over the nodes.
int node_of(const LongJob& job, faults::Part part, std::int64_t which);

}  // namespace sim::goodput
