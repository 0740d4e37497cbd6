#include "libsim/faults/checkpoint_intervals.hpp"
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/goodput/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace {

using namespace sim::goodput;
using namespace std::chrono_literals;
using sim::faults::daly_interval;
using sim::faults::hours_of;
using sim::faults::Part;
using sim::faults::young_interval;

// Ten nodes of 8 GPUs that never fail; a checkpoint of one minute after each hour.
LongJob calm_job() {
    return {.gpus = 80,
            .gpus_per_node = 8,
            .replicas = 10,
            .rates = {},
            .checkpoints = {.every = 1h, .blocks = 1min},
            .detection = 10min,
            .restart = 5min,
            .span = 610h};
}

// The same, with a node failure every 20 h on average.
LongJob failing_job() {
    LongJob job = calm_job();
    job.rates[Part::node] = {.count = 10, .mean_hours = 200};
    return job;
}

TEST(LongJob, WithoutFailuresLosesItsCheckpointsAlone) {
    const JobRun run = run_job(calm_job(), 1, 0);  // 600 cycles of 61 minutes are 610 h
    EXPECT_EQ(run.spent(TimeUse::productive), 600h);
    EXPECT_EQ(run.spent(TimeUse::checkpoint), 10h);
    EXPECT_EQ(run.checkpoints, 600);
    EXPECT_EQ(run.effective_share(), 60.0 / 61.0);
    EXPECT_TRUE(run.finished);
}

TEST(LongJob, EndsWhenItsWorkIsDone) {
    LongJob job = calm_job();
    job.span = 0h;
    job.work = 150min;
    const JobRun run = run_job(job, 1, 0);
    EXPECT_EQ(run.wall, 153min);  // 60 + 1, 60 + 1, 30 + 1
    EXPECT_TRUE(run.finished);
    job.span = 100min;
    EXPECT_FALSE(run_job(job, 1, 0).finished);
}

TEST(LongJob, SpendsAllOfItsWallTimeOnSomething) {
    for (const JobPolicy policy : {JobPolicy::abort, JobPolicy::restart, JobPolicy::elastic}) {
        for (int spares = 0; spares < 3; ++spares) {
            LongJob job = failing_job();
            job.policy = policy;
            job.spares = spares;
            job.repair = 24h;
            job.planned_every = 50h;
            job.planned_takes = 2h;
            job.checkpoints.beside = 7min;
            for (std::uint64_t number = 0; number < 50; ++number) {
                const JobRun run = run_job(job, 3, number);
                EXPECT_EQ(std::accumulate(run.time.begin(), run.time.end(), LongDuration{0}), run.wall);
                EXPECT_EQ(run.wall, job.span);
            }
        }
    }
}

TEST(LongJob, IsTheSameForTheSameSeed) {
    const JobRun a = run_job(failing_job(), 9, 4);
    const JobRun b = run_job(failing_job(), 9, 4);
    EXPECT_EQ(a.time, b.time);
    EXPECT_NE(a.time, run_job(failing_job(), 9, 5).time);
}

TEST(LongJob, ThatAbortsDoesNothingAfterTheFirstFailure) {
    LongJob job = failing_job();
    job.policy = JobPolicy::abort;
    const sim::faults::PartFailure failure = sim::faults::FailureStream(job.rates, 1, 0).next();
    const JobRun run = run_job(job, 1, 0);
    EXPECT_EQ(run.interruptions(), 1);
    EXPECT_FALSE(run.finished);
    EXPECT_EQ(run.spent(TimeUse::productive), failure.at / 61min * 1h);
    EXPECT_EQ(run.spent(TimeUse::detection), 10min);
    EXPECT_EQ(run.spent(TimeUse::ended), 610h - failure.at - 10min);
}

// With one replica on all nodes and a long repair, a job waits: 610 h have room for one failure and the rest.
TEST(LongJob, WaitsForARepairWhereThereIsNoSpareNode) {
    LongJob job = failing_job();
    job.repair = 10'000h;
    const JobRun run = run_job(job, 1, 0);
    EXPECT_EQ(run.interruptions(), 1);
    EXPECT_GT(run.spent(TimeUse::waiting), 400h);
    job.spares = 1;
    EXPECT_EQ(run_job(job, 1, 0).interruptions(), 2);
}

TEST(LongJob, WithEnoughSparesIsAsWithRepairsInNoTime) {
    LongJob repaired = failing_job();
    LongJob spared = failing_job();
    spared.repair = 48h;
    spared.spares = 100;
    EXPECT_EQ(run_job(repaired, 1, 0).time, run_job(spared, 1, 0).time);
}

// Nine of ten replicas continue while a node is away, so that a tenth of that time counts as degraded.
TEST(LongJob, ThatIsElasticGoesOnWithTheReplicasThatAreWhole) {
    LongJob job = failing_job();
    job.policy = JobPolicy::elastic;
    job.repair = 100'000h;
    job.detection = job.restart = 0min;
    job.checkpoints = {.every = 1min, .blocks = 0s};
    const auto fails = [&](int number) {
        sim::faults::FailureStream stream(job.rates, 1, 0);
        sim::faults::PartFailure failure = stream.next();
        for (int i = 1; i < number; ++i) {
            failure = stream.next();
        }
        return failure.at;
    };
    job.span = (fails(1) + fails(2)) / 2;  // one failure, and some time after it
    const JobRun run = run_job(job, 1, 0);
    EXPECT_EQ(run.interruptions(), 1);
    EXPECT_EQ(run.spent(TimeUse::waiting), 0h);
    const LongDuration after = job.span - fails(1);
    EXPECT_NEAR(hours_of(run.spent(TimeUse::degraded)), hours_of(after) / 10, 1.0 / 600);
}

TEST(LongJob, TakesItsReplicasBackAtACheckpoint) {
    LongJob job = failing_job();
    job.policy = JobPolicy::elastic;
    job.repair = 5h;
    const double elastic = effective_share(sample_of(job, {.runs = 200}));
    job.policy = JobPolicy::restart;
    const double waiting = effective_share(sample_of(job, {.runs = 200}));
    // Waiting: 20 h from one failure to the next, of which 60/61 is work and half an hour is lost; 5 h of repair, plus
    // 0.56 h because another node may fail meanwhile; 5 minutes of restart.
    EXPECT_NEAR(waiting, (20 * 60.0 / 61 - 0.5) / (20 + 5.56 + 0.08), 0.005);
    // Elastic: each 20 h lose 10 minutes of detection, two restarts, half an hour of work, a tenth of the 5.5 h until
    // the checkpoint after the repair, and a 61st of the rest.
    EXPECT_NEAR(elastic, (20 - 10 / 60.0 - 10 / 60.0 - 0.5 - 0.55) / 20 * 60 / 61, 0.005);
}

TEST(LongJob, StopsForPlannedInterruptionsAfterACheckpoint) {
    LongJob job = calm_job();
    job.planned_every = 100h;
    job.planned_takes = 3h;
    const JobRun run = run_job(job, 1, 0);
    EXPECT_EQ(run.planned, 6);
    EXPECT_EQ(run.spent(TimeUse::planned), 18h);
    EXPECT_EQ(run.spent(TimeUse::lost), 0h);
    EXPECT_EQ(run.interruptions(), 0);
}

// Compares with Daly's formula for a run until completion, with delayed detection and restarts that can fail: the mean
// of 2,000 runs is within three standard errors.
TEST(LongJob, TakesTheTimeThatTheClosedFormSays) {
    for (const LongDuration restart : {LongDuration(0min), LongDuration(30min), LongDuration(3h)}) {
        for (const LongDuration detection : {LongDuration(0min), LongDuration(20min)}) {
            LongJob job = failing_job();
            job.restart = restart;
            job.detection = detection;
            job.span = 0h;
            job.work = 500h;
            const JobSample sample = sample_of(job, {.runs = 2'000});
            const SampleSpread wall = spread_of(sample, [](const JobRun& run) { return hours_of(run.wall); });
            const double expected = 500 / *expected_share(job);
            EXPECT_NEAR(wall.mean, expected, 3 * wall.deviation / std::sqrt(2'000.0));
            EXPECT_LT(wall.deviation / std::sqrt(2'000.0), 0.005 * expected);  // otherwise the test would prove nothing
        }
    }
}

TEST(LongJob, IsDoneInTheSameTimeWhateverFails) {
    // 80 GPUs of 1,600 h fail as often as 10 nodes of 200 h.
    LongJob job = failing_job();
    job.rates = {};
    job.rates[Part::gpu] = {.count = 80, .mean_hours = 1600};
    const double gpus = effective_share(sample_of(job, {.runs = 1'000}));
    job.rates = {};
    job.rates[Part::link] = {.count = 160, .mean_hours = 3200};
    EXPECT_NEAR(effective_share(sample_of(job, {.runs = 1'000})), gpus, 0.003);
}

// A job's failures are those of its stream, as long as no node is away.
TEST(LongJob, IsInterruptedByEveryFailure) {
    const LongJob job = failing_job();
    sim::faults::FailureStream stream(job.rates, 1, 7);
    std::int64_t failures = 0;
    while (stream.next().at < job.span) {
        ++failures;
    }
    const JobRun run = run_job(job, 1, 7);
    EXPECT_EQ(run.interruptions() + run.absorbed, failures);
    EXPECT_EQ(run.stops[static_cast<std::size_t>(Part::node)], run.interruptions());
}

TEST(LongJob, TellsItsPhasesWithoutAGap) {
    LongJob job = failing_job();
    job.repair = 3h;
    std::vector<JobPhase> phases;
    const JobRun run = run_job(job, 2, 0, [&](const JobPhase& phase) { phases.push_back(phase); });
    LongDuration now{0};
    LongDuration work{0};
    for (const JobPhase& phase : phases) {
        EXPECT_EQ(phase.from, now);
        EXPECT_EQ(phase.work_from, work);
        now = phase.to;
        work = phase.work_kept;
    }
    EXPECT_EQ(now, run.wall);
    EXPECT_EQ(work, run.spent(TimeUse::productive));
}

TEST(ClosedForms, AreThoseOfYoungAndDaly) {
    // Daly (2006), figures 3 and 4: checkpoints of 5 minutes, failures every 24 and 6 h: 117 and 57 minutes.
    EXPECT_NEAR(daly_interval(5, 24 * 60), 117, 0.5);
    EXPECT_NEAR(daly_interval(5, 6 * 60), 57, 0.5);
    EXPECT_NEAR(daly_interval(5, 15), 9.1, 0.05);  // figure 5
    EXPECT_DOUBLE_EQ(young_interval(5, 24 * 60), 120);
    EXPECT_EQ(daly_interval(100, 40), 40);
}

TEST(ClosedForms, AgreeWhereLittleIsLost) {
    // One failure in 1,000 h, a checkpoint of 10 s every hour: both lose 35 minutes per failure and 10 s per hour.
    const double exact = expected_share(3600, 10, 3.6e6, 0, 300);
    EXPECT_NEAR(exact, estimated_share(3600, 10, 3.6e6, 300), 2e-6);
    EXPECT_NEAR(expected_share(3600, 60, std::numeric_limits<double>::infinity(), 600, 300), 60.0 / 61, 1e-12);
}

TEST(ClosedForms, AreNoneForJobsTheyDoNotDescribe) {
    LongJob job = failing_job();
    EXPECT_TRUE(expected_share(job));
    job.planned_every = 10h;
    EXPECT_FALSE(expected_share(job));
    job = failing_job();
    job.rates[Part::node].shape = 2;
    EXPECT_FALSE(expected_share(job));
}

}  // namespace
