#include "libsim/goodput/report.hpp"

#include <algorithm>

namespace sim::goodput {

GoodputReport goodput_report(GoodputQuestion question, const ForEach& for_each) {
    const Seeds seeds{.seed = question.seed, .runs = question.runs, .for_each = for_each};
    const LongJob& job = question.job;
    GoodputReport report{.question = {},
                         .sample = sample_of(job, seeds),
                         .intervals = interval_rows(job, question.step, seeds),
                         .policies = policy_rows(job, seeds),
                         .sensitivities = sensitivity_rows(job, question.step, seeds),
                         .phases = {},
                         .given = {}};
    report.middle = middle_run(report.sample);
    run_job(job, question.seed, report.middle, [&](const JobPhase& phase) { report.phases.push_back(phase); });
    report.question = std::move(question);
    return report;
}

std::vector<GoodputSlot> slots_of(const GoodputReport& report, std::size_t count) {
    std::vector<GoodputSlot> slots(count);
    const LongDuration wall = report.sample[report.middle].wall;
    const double width = faults::hours_of(wall) / static_cast<double>(count);
    const auto slot_at = [&](double hour) { return std::min(count - 1, static_cast<std::size_t>(hour / width)); };
    for (const JobPhase& phase : report.phases) {
        if (phase.use == TimeUse::detection) {
            ++slots[slot_at(faults::hours_of(phase.from))].interruptions;
        }
        // Work is spread evenly over its phase, except for the part lost at the end.
        const double done = faults::hours_of(phase.work_to - phase.work_from);
        const double kept = faults::hours_of(phase.work_kept - phase.work_from);
        const double from = faults::hours_of(phase.from);
        const double length = (faults::hours_of(phase.to) - from) * (done > 0 ? kept / done : 0);
        if (length <= 0) {
            continue;
        }
        for (std::size_t i = slot_at(from); i <= slot_at(from + length); ++i) {
            const double begin = std::max(from, static_cast<double>(i) * width);
            const double end = std::min(from + length, static_cast<double>(i + 1) * width);
            slots[i].share += kept * std::max(0.0, end - begin) / length / width;
        }
    }
    return slots;
}

}  // namespace sim::goodput
