// The goodput report for people.
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/goodput/report.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sim::goodput {

using namespace report;

namespace {

using report::Align;
using report::TextTable;

constexpr std::size_t columns = 60;

std::string length_text(LongDuration time) {
    const double seconds = faults::seconds_of(time);
    return seconds < 60     ? fmt::format("{:.3g} s", seconds)
           : seconds < 3600 ? fmt::format("{:.3g} min", seconds / 60)
                            : long_time_text(seconds);
}

SampleSpread ettr_of(const GoodputReport& report) {
    return spread_of(report.sample, [](const JobRun& run) { return run.effective_share(); });
}

std::string head_text(const GoodputReport& report) {
    const GoodputQuestion& question = report.question;
    const LongJob& job = report.job();
    std::string text = question.study ? question.study->title + "\n" : "";
    if (!question.model.empty()) {
        text += fmt::format("{} on {} GPUs of {}", question.model, job.gpus, question.machine);
    } else {
        text += fmt::format("A training on {} GPUs", job.gpus);
    }
    text += job.work > LongDuration{0} ? fmt::format(", {} of work", long_time_text(faults::seconds_of(job.work)))
                                       : fmt::format(", {}", long_time_text(faults::seconds_of(job.span)));
    text += fmt::format(": {} runs, each with failures of its own\n\n", question.runs);
    const SampleSpread share = ettr_of(report);
    text += fmt::format("{} of the time is effective training", percent_text(effective_share(report.sample)));
    text += question.runs > 1
                ? fmt::format(" (nine of ten runs: {} to {})\n", percent_text(share.p5), percent_text(share.p95))
                : "\n";
    if (job.spares > 0) {
        text += fmt::format("{} of the time of all {} GPUs, with the {} of the spare nodes\n",
                            percent_text(share_of_all_gpus(job, effective_share(report.sample))),
                            job.gpus + job.spares * job.gpus_per_node, job.spares * job.gpus_per_node);
    }
    const double finished = spread_of(report.sample, [](const JobRun& run) { return run.finished ? 1.0 : 0.0; }).mean;
    if (finished < 1) {
        text += fmt::format("{} of the runs reach their end\n", percent_text(finished));
    }
    return text;
}

std::string stops_text(const GoodputReport& report) {
    const SampleSpread stops =
        spread_of(report.sample, [](const JobRun& run) { return static_cast<double>(run.interruptions()); });
    const double between = seconds_between_failures(report.job());
    std::string text =
        fmt::format("{:.1f} interruptions a run (nine of ten: {:.0f} to {:.0f})", stops.mean, stops.p5, stops.p95);
    text += std::isinf(between) ? "; nothing fails" : fmt::format("; a failure each {}", long_time_text(between));
    std::vector<std::string> by_part;
    for (const faults::Part part : {faults::Part::gpu, faults::Part::node, faults::Part::link}) {
        if (const double stops_by = mean_stops(report.sample, part); stops_by > 0) {
            by_part.push_back(fmt::format("{:.1f} by a {}", stops_by, name_of(part)));
        }
    }
    if (by_part.size() > 1) {
        text += fmt::format("; {}", fmt::join(by_part, ", "));
    }
    const double planned =
        spread_of(report.sample, [](const JobRun& run) { return static_cast<double>(run.planned); }).mean;
    return text + (planned > 0 ? fmt::format("; {:.1f} planned ones\n", planned) : "\n");
}

std::string spent_table(const GoodputReport& report) {
    TextTable table{.columns = {{"", Align::left}, {"share"}, {"a run"}, {"nine of ten runs"}}};
    const double wall = spread_of(report.sample, [](const JobRun& run) { return faults::seconds_of(run.wall); }).mean;
    for (std::size_t i = 0; i < time_uses; ++i) {
        const auto use = static_cast<TimeUse>(i);
        const double share = share_of(report.sample, use);
        if (share == 0 && use != TimeUse::productive) {
            continue;
        }
        const SampleSpread spread = spread_of(report.sample, [&](const JobRun& run) {
            return faults::hours_of(run.spent(use)) / std::max(faults::hours_of(run.wall), 1e-12);
        });
        table.rows.push_back({{time_use_rows[i].title, percent_text(share), long_time_text(share * wall),
                               fmt::format("{} to {}", percent_text(spread.p5), percent_text(spread.p95))}});
    }
    return "\nWhere the time goes\n" + text_of(table);
}

const char* title_of(IntervalChoice choice) {
    switch (choice) {
        case IntervalChoice::asked: return "as it is";
        case IntervalChoice::young: return "Young (1974)";
        case IntervalChoice::daly: return "Daly (2006)";
        case IntervalChoice::best: return "best of these runs";
    }
    return "?";
}

std::string interval_table(const GoodputReport& report) {
    TextTable table{.columns = {{"", Align::left}, {"interval"}, {"simulated"}, {"exact formula"}, {"estimate"}}};
    for (const IntervalRow& row : report.intervals) {
        table.rows.push_back({{title_of(row.choice), length_text(row.every), percent_text(row.share),
                               row.expected ? percent_text(*row.expected) : "", percent_text(row.estimated)}});
    }
    return "\nTime between two checkpoints\n" + text_of(table);
}

std::string policy_table(const GoodputReport& report) {
    TextTable table{
        .columns = {{"", Align::left}, {"effective"}, {"nine of ten runs"}, {"of all GPUs"}, {"reach the end"}}};
    for (const PolicyRow& row : report.policies) {
        const std::string spares =
            row.spares > 0 ? fmt::format(", {}", number_text(row.spares, "spare node", "spare nodes")) : "";
        table.rows.push_back({{name_of(row.policy) + spares, percent_text(row.share.mean),
                               fmt::format("{} to {}", percent_text(row.share.p5), percent_text(row.share.p95)),
                               percent_text(row.of_all_gpus), percent_text(row.finished)}});
    }
    return "\nWhat to do about a failure\n" + text_of(table);
}

std::string sensitivity_table(const GoodputReport& report) {
    TextTable table{.columns = {{"", Align::left}, {"half"}, {"as it is"}, {"twice"}}};
    for (const SensitivityRow& row : report.sensitivities) {
        table.rows.push_back({{row.title, percent_text(row.half), percent_text(effective_share(report.sample)),
                               percent_text(row.twice)}});
    }
    return "\nIf one of these were half or twice as long\n" + text_of(table);
}

// One column per slot of the median run.
std::string over_time(const GoodputReport& report) {
    std::string shares;
    std::string stops;
    for (const GoodputSlot& slot : slots_of(report, columns)) {
        const int tenths = static_cast<int>(slot.share * 10 + 1e-9);
        shares += tenths >= 10 ? '*' : static_cast<char>('0' + tenths);
        stops += slot.interruptions == 0  ? '.'
                 : slot.interruptions > 9 ? '+'
                                          : static_cast<char>('0' + slot.interruptions);
    }
    const LongDuration wall = report.sample[report.middle].wall;
    return fmt::format(
        "\nThe median run, number {}: a column is {}\n  effective      {}  tenths of it; *: all\n  "
        "interruptions  {}  +: ten and more\n",
        report.middle, length_text(wall / static_cast<std::int64_t>(columns)), shares, stops);
}

std::string number_text_of(StudyFigure figure, double value) {
    switch (figure) {
        case StudyFigure::ettr:
        case StudyFigure::estimated_ettr:
        case StudyFigure::lost_share:
        case StudyFigure::detection_share:
        case StudyFigure::restart_share:
        case StudyFigure::down_share: return fmt::format("{:.2f} %", 100 * value);
        default: return fmt::format("{:.4g}", value);
    }
}

std::string study_text(const GoodputReport& report) {
    const Study& study = *report.question.study;
    TextTable figures{.columns = {{"", Align::left}, {"simulated"}, {"published", Align::left}, {"", Align::left}}};
    for (const PublishedFigure& figure : study.published) {
        const double value = value_of(figure.figure, report.job(), report.sample);
        figures.rows.push_back({{study_row_of(figure.figure).title, number_text_of(figure.figure, value), figure.says,
                                 figure.holds(value) ? "holds" : "DOES NOT HOLD"}});
    }
    TextTable options{.columns = {{"", Align::left}, {"", Align::left}, {"", Align::left}}, .margin = "  "};
    for (const StudyOption& option : study.options) {
        options.rows.push_back({{"--" + option.option, name_of(option.origin), option.why}});
    }
    return fmt::format("\nPublished: {}\n{}Options and their origin\n{}", study.source, text_of(figures),
                       text_of(options));
}

std::string footer_text(const GoodputReport& report) {
    std::string text = "\nAssumptions\n";
    for (const std::string& notes : report.question.notes) {
        text += fmt::format("  {}\n", notes);
    }
    return text +
           "Effective training time (ETTR): time of kept work at full strength over wall time, as defined by Kokolis "
           "et al.\n"
           "(HPCA 2025). Exact formula: Daly's with late detection, for memoryless failures and no waiting. Estimate:\n"
           "Kokolis et al., for small losses.\n";
}

}  // namespace

std::string text_of(const GoodputReport& report) {
    std::string text = head_text(report) + stops_text(report);
    if (report.question.study) {
        text += study_text(report);
    }
    return text + spent_table(report) + interval_table(report) + policy_table(report) + sensitivity_table(report) +
           over_time(report) + footer_text(report);
}

}  // namespace sim::goodput
