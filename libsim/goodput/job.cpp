#include "libsim/goodput/job.hpp"

#include "libsim/units.hpp"

namespace sim::goodput {

const std::array<TimeUseRow, time_uses> time_use_rows{{
    {"productive", "training that is kept"},
    {"degraded", "missing replicas", "what missing replicas would have done"},
    {"checkpoint", "checkpoints"},
    {"lost", "work that was lost"},
    {"detection", "failures not yet noticed"},
    {"waiting", "waiting for nodes"},
    {"restart", "restarts"},
    {"planned", "planned interruptions"},
    {"ended", "after the abort"},
}};

const char* name_of(JobPolicy policy) {
    switch (policy) {
        case JobPolicy::abort: return "abort";
        case JobPolicy::restart: return "restart";
        case JobPolicy::elastic: return "elastic";
    }
    return "?";
}

std::vector<std::string> job_policy_names() {
    std::vector<std::string> names;
    for (const JobPolicy policy : {JobPolicy::abort, JobPolicy::restart, JobPolicy::elastic}) {
        names.emplace_back(name_of(policy));
    }
    return names;
}

int node_of(const LongJob& job, faults::Part part, std::int64_t which) {
    switch (part) {
        case faults::Part::gpu: return static_cast<int>(which / job.gpus_per_node);
        case faults::Part::node: return static_cast<int>(which);
        case faults::Part::link: break;
    }
    return static_cast<int>(Wide{which} * job.nodes() / job.rates[faults::Part::link].count);
}

}  // namespace sim::goodput
