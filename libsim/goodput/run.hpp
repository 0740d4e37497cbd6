// One run of a long job, simulated from interruption to interruption: what its time was spent on.
//
// A failure of any node of the job stops it. While the job is down further failures take nodes out, but cost nothing
// else; one during a restart is noticed, and restarts again.
//
// Cost: some 50 ns for each failure and each planned interruption.
#pragma once

#include "libsim/goodput/job.hpp"

#include <functional>

namespace sim::goodput {

struct JobRun {
    std::array<LongDuration, time_uses> time{};
    std::array<std::int64_t, faults::part_kinds> stops{};  // interruptions by the part that failed
    std::int64_t absorbed = 0;                             // failures of nodes of a job that was down already
    std::int64_t planned = 0;
    std::int64_t checkpoints = 0;
    bool finished = false;  // the work is done; of a job without end, it was not aborted
    LongDuration wall{0};

    LongDuration spent(TimeUse use) const { return time[static_cast<std::size_t>(use)]; }
    std::int64_t interruptions() const;  // unexpected ones
    // Effective training time: the share of the wall time in which work was done that was kept.
    double effective_share() const;
};

// A part of a run, to be drawn. Of one in which the job works `use` is productive, and it may end with lost work.
struct JobPhase {
    TimeUse use = TimeUse::productive;
    LongDuration from{0};
    LongDuration to{0};
    LongDuration work_from{0};  // at full strength, since the run began
    LongDuration work_to{0};
    LongDuration work_kept{0};
};
using JobPhaseSink = std::function<void(const JobPhase&)>;

// Requires: a span or work; every checkpoints.every > 0; every duration at most 100 years. The same seed and number are
// the same run, whatever is asked.
JobRun run_job(const LongJob& job, std::uint64_t seed, std::uint64_t number, const JobPhaseSink& sink = nullptr);

}  // namespace sim::goodput
