#include "libsim/goodput/alternatives.hpp"

#include "libsim/faults/checkpoint_intervals.hpp"
#include "libsim/goodput/closed_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace sim::goodput {

namespace {

constexpr LongDuration no_time{0};

IntervalRow interval_row(LongJob job, IntervalChoice choice, LongDuration every, double share) {
    job.checkpoints.every = every;
    return {.choice = choice,
            .every = every,
            .share = share,
            .expected = expected_share(job),
            .estimated = estimated_share(job)};
}

// Effective share by checkpoint interval; each interval is simulated once.
class Intervals {
public:
    Intervals(const LongJob& job, LongDuration step, const Seeds& seeds) : job_(job), step_(step), seeds_(seeds) {}

    LongDuration rounded(double interval) const { return whole_steps(faults::long_duration(interval), step_); }
    double at(LongDuration every) {
        const auto [place, is_new] = known_.try_emplace(every, 0);
        if (is_new) {
            job_.checkpoints.every = every;
            place->second = effective_share(sample_of(job_, seeds_));
        }
        return place->second;
    }
    LongDuration best() const {
        return std::max_element(known_.begin(), known_.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }

private:
    LongJob job_;
    LongDuration step_;
    const Seeds& seeds_;
    std::map<LongDuration, double> known_;
};

LongDuration times(LongDuration time, double factor) {
    return faults::long_duration(faults::seconds_of(time) * factor);
}

struct Scaled {
    const char* key;
    const char* title;
    bool (*is_there)(const LongJob&);
    void (*scale)(LongJob&, LongDuration step, double factor);
};

constexpr auto scaled = std::to_array<Scaled>({
    {"mtbf", "time between failures", [](const LongJob& job) { return job.rates.failures_per_hour() > 0; },
     [](LongJob& job, LongDuration, double factor) {
         for (faults::Population& population : job.rates.of) {
             population.mean_hours *= factor;
         }
     }},
    {"checkpoint_interval", "time between checkpoints", [](const LongJob&) { return true; },
     [](LongJob& job, LongDuration step, double factor) {
         job.checkpoints.every = whole_steps(times(job.checkpoints.every, factor), step);
     }},
    {"checkpoint_cost", "checkpoint stall", [](const LongJob& job) { return job.checkpoints.blocks > no_time; },
     [](LongJob& job, LongDuration, double factor) { job.checkpoints.blocks = times(job.checkpoints.blocks, factor); }},
    {"checkpoint_write", "background write", [](const LongJob& job) { return job.checkpoints.beside > no_time; },
     [](LongJob& job, LongDuration, double factor) { job.checkpoints.beside = times(job.checkpoints.beside, factor); }},
    {"detection", "failure detection", [](const LongJob& job) { return job.detection > no_time; },
     [](LongJob& job, LongDuration, double factor) { job.detection = times(job.detection, factor); }},
    {"restart", "restart", [](const LongJob& job) { return job.restart > no_time; },
     [](LongJob& job, LongDuration, double factor) { job.restart = times(job.restart, factor); }},
    {"repair", "node repair", [](const LongJob& job) { return job.repair > no_time; },
     [](LongJob& job, LongDuration, double factor) { job.repair = times(job.repair, factor); }},
});

}  // namespace

LongDuration whole_steps(LongDuration interval, LongDuration step) {
    return std::max<std::int64_t>(1, (interval + step / 2) / step) * step;
}

const char* name_of(IntervalChoice choice) {
    switch (choice) {
        case IntervalChoice::asked: return "asked";
        case IntervalChoice::young: return "young";
        case IntervalChoice::daly: return "daly";
        case IntervalChoice::best: return "best";
    }
    return "?";
}

std::vector<IntervalRow> interval_rows(const LongJob& job, LongDuration step, const Seeds& seeds) {
    Intervals intervals(job, step, seeds);
    std::vector<IntervalRow> rows;
    const auto add = [&](IntervalChoice choice, LongDuration every) {
        rows.push_back(interval_row(job, choice, every, intervals.at(every)));
    };
    add(IntervalChoice::asked, job.checkpoints.every);
    const double cost = faults::seconds_of(job.checkpoints.blocks);
    const double between = seconds_between_failures(job);
    if (cost == 0 || std::isinf(between)) {
        return rows;
    }
    add(IntervalChoice::young, intervals.rounded(faults::young_interval(cost, between)));
    const double daly = faults::daly_interval(cost, between);
    add(IntervalChoice::daly, intervals.rounded(daly));
    // The closed forms assume much that a job may not have, so the best is searched: coarsely around Daly's interval,
    // then finely around the best of these.
    for (int half_doublings = -6; half_doublings <= 6; ++half_doublings) {
        intervals.at(intervals.rounded(daly * std::exp2(half_doublings / 2.0)));
    }
    const double middle = faults::seconds_of(intervals.best());
    for (int eighths = -3; eighths <= 3; ++eighths) {
        intervals.at(intervals.rounded(middle * std::exp2(eighths / 8.0)));
    }
    add(IntervalChoice::best, intervals.best());
    return rows;
}

double share_of_all_gpus(const LongJob& job, double share) {
    const double spare = static_cast<double>(job.spares) * job.gpus_per_node;
    return share * job.gpus / (job.gpus + spare);
}

std::vector<PolicyRow> policy_rows(const LongJob& job, const Seeds& seeds) {
    // 1 % of the nodes for a job without spare nodes of its own.
    const int spares = job.spares > 0 ? job.spares : std::max(1, job.nodes() / 100);
    std::vector<PolicyRow> rows;
    const auto add = [&](JobPolicy policy, int spare_nodes) {
        LongJob other = job;
        other.policy = policy;
        other.spares = spare_nodes;
        const JobSample sample = sample_of(other, seeds);
        rows.push_back(
            {.policy = policy,
             .spares = spare_nodes,
             .share = spread_of(sample, [](const JobRun& run) { return run.effective_share(); }),
             .of_all_gpus = share_of_all_gpus(other, effective_share(sample)),
             .finished = spread_of(sample, [](const JobRun& run) { return run.finished ? 1.0 : 0.0; }).mean});
    };
    add(JobPolicy::abort, 0);
    add(JobPolicy::restart, 0);
    if (job.repair > no_time) {
        add(JobPolicy::restart, spares);
        if (job.replicas > 1) {
            add(JobPolicy::elastic, 0);
            add(JobPolicy::elastic, spares);
        }
    }
    return rows;
}

std::vector<SensitivityRow> sensitivity_rows(const LongJob& job, LongDuration step, const Seeds& seeds) {
    std::vector<SensitivityRow> rows;
    for (const Scaled& what : scaled) {
        if (!what.is_there(job)) {
            continue;
        }
        const auto share = [&](double factor) {
            LongJob other = job;
            what.scale(other, step, factor);
            return effective_share(sample_of(other, seeds));
        };
        rows.push_back({.key = what.key, .title = what.title, .half = share(0.5), .twice = share(2)});
    }
    return rows;
}

}  // namespace sim::goodput
