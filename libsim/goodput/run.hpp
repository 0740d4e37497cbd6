// One run of a long job, simulated from interruption to interruption, and an account of its time.
//
// A failure of any node stops the job. While the job is down, further failures take nodes out but cost nothing else; a
// failure during a restart is detected in turn, and the restart begins again.
//
// Cost: about 50 ns per failure and per planned interruption.
#pragma once

#include "libsim/goodput/job.hpp"

#include <functional>

namespace sim::goodput {

struct JobRun {
    std::array<LongDuration, time_uses> time{};
    std::array<std::int64_t, faults::part_kinds> stops{};  // unexpected interruptions, by the part that failed
    std::int64_t absorbed = 0;                             // node failures while the job was already down
    std::int64_t planned = 0;
    std::int64_t checkpoints = 0;
    bool finished = false;  // the work is done; for a job without a given amount of work: it was not aborted
    LongDuration wall{0};

    LongDuration spent(TimeUse use) const { return time[static_cast<std::size_t>(use)]; }
    std::int64_t interruptions() const;  // unexpected ones
    // Effective training time: the share of the wall time that went into work that was kept.
    double effective_share() const;
};

// A phase of a run, to be drawn. While the job works, `use` is productive, even if the end of the work is lost.
struct JobPhase {
    TimeUse use = TimeUse::productive;
    LongDuration from{0};
    LongDuration to{0};
    LongDuration work_from{0};  // at full strength, since the run began
    LongDuration work_to{0};
    LongDuration work_kept{0};
};
using JobPhaseSink = std::function<void(const JobPhase&)>;

// Requires: a span or work; checkpoints.every > 0; every duration at most 100 years. The same seed and number give the
// same run, with or without a sink.
JobRun run_job(const LongJob& job, std::uint64_t seed, std::uint64_t number, const JobPhaseSink& sink = nullptr);

}  // namespace sim::goodput
