#include "libsim/goodput/run.hpp"

#include "libsim/check.hpp"
#include "libsim/goodput/node_pool.hpp"
#include "libsim/goodput/stretch.hpp"
#include "libsim/units.hpp"

#include <algorithm>
#include <numeric>

namespace sim::goodput {

namespace {

constexpr LongDuration nothing{0};
constexpr Wide longest_interval = 1'000'000'000'000'000'000;  // 31 years

class LongRun {
public:
    LongRun(const LongJob& job, std::uint64_t seed, std::uint64_t number, const JobPhaseSink& sink)
        : job_(job),
          sink_(sink),
          nodes_(job),
          failures_(job.rates, seed, number),
          failure_(failures_.next()),
          next_planned_(job.planned_every > nothing ? job.planned_every : faults::never),
          running_(job.replicas) {}

    JobRun run() {
        bool goes_on = true;
        while (goes_on) {
            goes_on = work();
        }
        run_.wall = now_;
        return run_;
    }

private:
    LongDuration& time(TimeUse use) { return run_.time[static_cast<std::size_t>(use)]; }
    LongDuration end_of_span() const { return job_.span > nothing ? job_.span : faults::never; }
    // The wall time that work at full strength takes on the replicas now running; work_of() is the inverse.
    LongDuration wall_of(LongDuration work) const {
        // Rounded up, so that work_of() of the result is never less than the work.
        const Wide wall = Wide{work.count()} * job_.replicas + running_ - 1;
        return LongDuration{static_cast<std::int64_t>(std::min(wall / running_, longest_interval))};
    }
    LongDuration work_of(LongDuration wall) const {
        return LongDuration{static_cast<std::int64_t>(Wide{wall.count()} * running_ / job_.replicas)};
    }

    // Returns false if the span is over.
    bool spend(TimeUse use, LongDuration until) {
        const LongDuration to = std::min(until, end_of_span());
        time(use) += to - now_;
        if (sink_ && to > now_) {
            sink_({.use = use, .from = now_, .to = to, .work_from = saved_, .work_to = saved_, .work_kept = saved_});
        }
        now_ = to;
        const bool over = until >= end_of_span();
        run_.finished = over && job_.work == nothing && job_.policy != JobPolicy::abort;
        return !over;
    }

    // Whether a node of the job fails before `end`, if empty places stay empty until then.
    bool fails_before(LongDuration end) {
        while (failure_.at < end && !nodes_.has(node_of(job_, failure_.part, failure_.which))) {
            failure_ = failures_.next();
        }
        return failure_.at < end;
    }
    void take_out() {
        nodes_.take_out(node_of(job_, failure_.part, failure_.which), failure_.at);
        failure_ = failures_.next();
    }
    // Takes out the nodes that fail while the job is down.
    void absorb(LongDuration until) {
        while (fails_before(std::min(until, end_of_span()))) {
            ++run_.absorbed;
            take_out();
        }
    }

    bool work();
    Stretch stretch();
    bool resume();
    bool notice();
    bool stop_for_plan();
    bool find_nodes();
    bool has_enough() const {
        return job_.policy == JobPolicy::elastic ? nodes_.replicas() > 0 : nodes_.missing() == 0;
    }

    const LongJob& job_;
    const JobPhaseSink& sink_;
    NodePool nodes_;
    faults::FailureStream failures_;
    faults::PartFailure failure_;
    LongDuration now_{0};
    LongDuration saved_{0};  // work that can be restored
    LongDuration next_planned_;
    int running_;                  // replicas
    bool ends_with_work_ = false;  // the current stretch does
    JobRun run_;
};

// The stretch from here to the end of the work, or to the first checkpoint with something to do: a planned
// interruption, or a repaired replica that rejoins.
Stretch LongRun::stretch() {
    Stretch plan{
        .every = wall_of(job_.checkpoints.every), .blocks = job_.checkpoints.blocks, .beside = job_.checkpoints.beside};
    const LongDuration until =
        std::min(next_planned_, running_ < job_.replicas ? nodes_.next_replica(running_) : faults::never);
    if (until != faults::never) {
        // An interruption that can wait does so until the next checkpoint, and then costs no work.
        plan.last = plan.first_from(std::max(until - now_, nothing));
        plan.last_every = plan.every;
    }
    ends_with_work_ = false;
    if (job_.work > nothing) {
        const LongDuration left = job_.work - saved_;
        const std::int64_t number = (left + job_.checkpoints.every - LongDuration{1}) / job_.checkpoints.every;
        const bool before_the_end = job_.span == nothing || number <= plan.first_from(job_.span - now_);
        if (number <= plan.last && before_the_end) {
            plan.last = number;
            plan.last_every = wall_of(left - (number - 1) * job_.checkpoints.every);
            ends_with_work_ = true;
        }
    }
    return plan;
}

// Runs one stretch and handles its end. Returns false if the run is over.
bool LongRun::work() {
    const Stretch plan = stretch();
    const LongDuration end = plan.last == INT64_MAX ? faults::never : now_ + plan.end();
    const LongDuration over = std::min(end, end_of_span());
    const bool failed = fails_before(over);
    const LongDuration stop = failed ? failure_.at : over;
    const Stretch::State state = plan.at(stop - now_);
    const auto work_before = [&](std::int64_t checkpoints) {
        return checkpoints == plan.last && ends_with_work_ ? job_.work - saved_ : checkpoints * job_.checkpoints.every;
    };
    const LongDuration reached = work_before(state.taken) + work_of(state.worked - plan.work_before(state.taken));
    const LongDuration kept = failed ? work_before(state.usable) : reached;
    // On fewer replicas the work that is kept took longer than at full strength; the difference counts as degraded.
    const LongDuration kept_wall = failed ? plan.work_before(state.usable) : state.worked;
    run_.checkpoints += state.taken;
    time(TimeUse::productive) += kept;
    time(TimeUse::degraded) += kept_wall - kept;
    time(TimeUse::lost) += state.worked - kept_wall;
    time(TimeUse::checkpoint) += stop - now_ - state.worked;
    if (sink_) {
        sink_({.from = now_, .to = stop, .work_from = saved_, .work_to = saved_ + reached, .work_kept = saved_ + kept});
    }
    now_ = stop;
    saved_ += kept;
    if (failed) {
        return notice() && resume();
    }
    if (stop == end_of_span() || ends_with_work_) {
        run_.finished = stop != end_of_span() || job_.work == nothing;
        return false;
    }
    return now_ >= next_planned_ ? stop_for_plan() : resume();
}

// Waits for nodes and restarts until a restart succeeds. Returns false if the run is over.
bool LongRun::resume() {
    while (find_nodes()) {
        const LongDuration until = now_ + job_.restart;
        // A failure during a restart stops the job like any other, and the restart begins anew.
        if (!fails_before(std::min(until, end_of_span()))) {
            return spend(TimeUse::restart, until);
        }
        spend(TimeUse::restart, failure_.at);
        if (!notice()) {
            return false;
        }
    }
    return false;
}

// Handles a failure that stops the job, up to its detection. Returns false if the run is over.
bool LongRun::notice() {
    ++run_.stops[static_cast<std::size_t>(failure_.part)];
    take_out();
    const LongDuration noticed = now_ + job_.detection;
    absorb(noticed);
    if (!spend(TimeUse::detection, noticed)) {
        return false;
    }
    if (job_.policy == JobPolicy::abort && job_.span > nothing) {
        time(TimeUse::ended) += job_.span - now_;
        now_ = job_.span;
    }
    return job_.policy != JobPolicy::abort;
}

bool LongRun::stop_for_plan() {
    ++run_.planned;
    absorb(now_ + job_.planned_takes);
    if (!spend(TimeUse::planned, now_ + job_.planned_takes)) {
        return false;
    }
    // Interruptions that came due while the job was down are not made up for.
    const std::int64_t passed = now_ / job_.planned_every;
    next_planned_ = (passed + 1) * job_.planned_every;
    return find_nodes();
}

// Waits for repairs until there are enough nodes. Returns false if the span is over.
bool LongRun::find_nodes() {
    for (nodes_.fill(now_); !has_enough(); nodes_.fill(now_)) {
        const LongDuration back = nodes_.next_back();
        check(back != faults::never, "{} nodes are missing, and none is under repair", nodes_.missing());
        absorb(back);
        if (!spend(TimeUse::waiting, back)) {
            return false;
        }
    }
    running_ = job_.policy == JobPolicy::elastic ? nodes_.replicas() : job_.replicas;
    return true;
}

}  // namespace

std::int64_t JobRun::interruptions() const {
    return std::accumulate(stops.begin(), stops.end(), std::int64_t{0});
}

double JobRun::effective_share() const {
    return wall > nothing ? static_cast<double>(spent(TimeUse::productive).count()) / static_cast<double>(wall.count())
                          : 1;
}

JobRun run_job(const LongJob& job, std::uint64_t seed, std::uint64_t number, const JobPhaseSink& sink) {
    return LongRun(job, seed, number, sink).run();
}

}  // namespace sim::goodput
