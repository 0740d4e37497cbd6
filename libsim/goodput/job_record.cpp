// The record of the goodput report's job.
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/goodput/report_fields.hpp"

namespace sim::goodput::fields {

using faults::Part;
using faults::Population;

const Record<Population>& rate_record() {
    static const Record<Population> record(
        "The failure rate of one kind of part.",
        {whole<Population>("count", "Number of these parts.", &Population::count),
         number_or_null<Population>(
             "mtbf_hours", "Mean hours between failures of one such part; null: they never fail.",
             [](const Population& of) { return of.fails() ? std::optional(of.mean_hours) : std::nullopt; }),
         number<Population>("shape", "Shape of the Weibull distribution of lifetimes; 1: exponential.",
                            &Population::shape)});
    return record;
}

namespace {

const Record<LongJob>& rates_record() {
    const auto rate = [](const char* key, Part of) {
        return part<LongJob>(
            key, rate_record(), [of](const LongJob& job) { return job.rates[of]; }, rate_definition);
    };
    static const Record<LongJob> record("Failure rates of the parts.",
                                        {rate("gpu", Part::gpu), rate("node", Part::node), rate("link", Part::link)});
    return record;
}

}  // namespace

const Record<LongJob>& job_record() {
    using Job = LongJob;
    static const Record<Job> record(
        "The simulated job, including derived values.",
        {whole<Job>("nodes", "Nodes of the job, without spare ones.", &Job::nodes),
         whole<Job>("gpus_per_node", "GPUs of a node.", &Job::gpus_per_node),
         whole<Job>("replicas", "Replicas of the model.", &Job::replicas),
         part<Job>("rates", rates_record(), [](const Job& job) { return job; }),
         number_or_null<Job>("mtbf_hours", "Mean hours between failures of the whole job; null: nothing fails.",
                             [](const Job& job) { return known(seconds_between_failures(job) / 3600); }),
         seconds<Job>("checkpoint_seconds", "Seconds of work between two checkpoints, in whole steps.",
                      [](const Job& job) { return job.checkpoints.every; }),
         seconds<Job>("checkpoint_cost_seconds", "Seconds that a checkpoint stalls the training.",
                      [](const Job& job) { return job.checkpoints.blocks; }),
         seconds<Job>("checkpoint_write_seconds", "Seconds that the checkpoint is then written in the background.",
                      [](const Job& job) { return job.checkpoints.beside; }),
         seconds<Job>("detect_seconds", "Seconds from a failure to its detection.", &Job::detection),
         seconds<Job>("restart_seconds", "Seconds to the first step, once enough nodes are available.", &Job::restart),
         seconds<Job>("repair_seconds", "Seconds until a failed node can be used again.", &Job::repair),
         number_or_null<Job>("planned_every_seconds",
                             "Seconds from a planned interruption to the next; null: there are none.",
                             [](const Job& job) { return limit(job.planned_every); }),
         seconds<Job>("planned_seconds", "Seconds that a planned interruption takes.", &Job::planned_takes),
         policy<Job>(policy_means, [](const Job& job) { return name_of(job.policy); }),
         whole<Job>("spares", "Spare nodes.", &Job::spares),
         number_or_null<Job>("span_seconds",
                             "Seconds of wall time after which a run ends; null: it ends when its work is done.",
                             [](const Job& job) { return limit(job.span); }),
         number_or_null<Job>("work_seconds",
                             "Seconds of lossless work after which a run ends; null: it ends with the span.",
                             [](const Job& job) { return limit(job.work); })});
    return record;
}

}  // namespace sim::goodput::fields
