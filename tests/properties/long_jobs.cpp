// Properties of every long job, whatever fails at whatever time.
#include "libsim/goodput/run.hpp"

#include "tests/support/property.hpp"

#include <numeric>

namespace {

using namespace sim::goodput;
using sim::faults::Part;

LongDuration minutes(int from, int to) {
    return LongDuration{std::chrono::minutes{*rc::gen::inRange(from, to)}};
}

LongJob any_job() {
    LongJob job;
    job.gpus_per_node = *rc::gen::element(1, 4, 8);
    const int nodes = *rc::gen::inRange(1, 20);
    job.gpus = nodes * job.gpus_per_node;
    job.replicas = *rc::gen::element(1, nodes, job.gpus);
    const double shape = *rc::gen::element(1.0, 0.7, 2.0);
    job.rates[Part::gpu] = {job.gpus, static_cast<double>(*rc::gen::inRange(0, 500)), shape};
    job.rates[Part::node] = {nodes, static_cast<double>(*rc::gen::inRange(0, 500)), shape};
    job.rates[Part::link] = {2 * nodes, static_cast<double>(*rc::gen::inRange(0, 500)), shape};
    job.checkpoints = {.every = minutes(1, 200), .blocks = minutes(0, 10), .beside = minutes(0, 60)};
    job.detection = minutes(0, 30);
    job.restart = minutes(0, 60);
    job.repair = minutes(0, 3000);
    job.spares = *rc::gen::inRange(0, 3);
    job.planned_every = minutes(0, 2) * *rc::gen::inRange(100, 5000);
    job.planned_takes = minutes(0, 200);
    job.policy = *rc::gen::element(JobPolicy::abort, JobPolicy::restart, JobPolicy::elastic);
    job.span = minutes(1, 40'000);
    job.work = minutes(0, 2) * *rc::gen::inRange(1, 20'000);
    return job;
}

TEST(LongJobs, SpendEveryNanosecondOnceAndKeepWhatTheySaved) {
    sim::test::for_all(2'000, [](std::uint64_t seed) {
        const LongJob job = any_job();
        LongDuration now{0};
        LongDuration kept{0};
        const JobRun run = run_job(job, seed, 0, [&](const JobPhase& phase) {
            RC_ASSERT(phase.from == now);
            RC_ASSERT(phase.work_from == kept);
            RC_ASSERT(phase.work_kept >= phase.work_from);
            RC_ASSERT(phase.work_to >= phase.work_kept);
            now = phase.to;
            kept = phase.work_kept;
        });
        RC_ASSERT(std::accumulate(run.time.begin(), run.time.end(), LongDuration{0}) == run.wall);
        RC_ASSERT(run.wall <= job.span);
        for (const LongDuration spent : run.time) {
            RC_ASSERT(spent.count() >= 0);
        }
        RC_ASSERT(run.spent(TimeUse::productive) == kept);
        const bool done = job.work.count() > 0 && kept == job.work;
        RC_ASSERT(job.work.count() == 0 || kept <= job.work);
        RC_ASSERT(!run.finished || done || run.wall == job.span);
        RC_ASSERT(!done || run.finished);
    });
}

}  // namespace
