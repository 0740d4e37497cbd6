#include "libsim/interop/trace_files/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace sim::trace_files {

namespace {

// Below a picosecond for each of many ranks: the last digit of a sum.
constexpr double nothing = 1e-12;

std::vector<LabelDifference> label_differences(const TraceShares& first, const TraceShares& second) {
    std::map<std::pair<std::string, Activity>, LabelDifference> by_label;
    const auto of = [&](const LabelShare& share) -> LabelDifference& {
        LabelDifference& difference = by_label[{share.label, share.activity}];
        difference.label = share.label;
        difference.activity = share.activity;
        return difference;
    };
    for (const LabelShare& share : first.labels) {
        of(share).first = share.exposed;
    }
    for (const LabelShare& share : second.labels) {
        of(share).second = share.exposed;
    }
    std::vector<LabelDifference> differences;
    for (const auto& [label, difference] : by_label) {
        if (std::abs(difference.by()) > nothing) {
            differences.push_back(difference);
        }
    }
    std::stable_sort(differences.begin(), differences.end(), [](const LabelDifference& a, const LabelDifference& b) {
        return std::abs(a.by()) > std::abs(b.by());
    });
    return differences;
}

// The activity whose labels make up that part of the time; none for idle time.
std::optional<Activity> activity_of_part(double Shares::*part) {
    if (part == &Shares::compute) {
        return Activity::compute;
    }
    if (part == &Shares::exposed) {
        return Activity::communication;
    }
    return part == &Shares::copies ? std::optional{Activity::copies} : std::nullopt;
}

std::optional<Activity> activity_of_part(TimePart part) {
    switch (part) {
        case TimePart::compute: return Activity::compute;
        case TimePart::communication: return Activity::communication;
        default: return std::nullopt;
    }
}

void add_accounts(TraceDifference& difference) {
    const TraceShares& first = difference.first.shares;
    const TraceShares& second = difference.second.shares;
    difference.whole = {.name = "the step", .first = first.step, .second = second.step, .activity = {}};
    for (std::size_t part = 0; part < time_parts; ++part) {
        const auto which = static_cast<TimePart>(part);
        difference.parts.push_back({.name = title_of(which), .activity = activity_of_part(which)});
    }
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        const auto category = static_cast<TimeCategory>(kind);
        difference.categories.push_back({category, first.account[kind], second.account[kind]});
        PartDifference& part = difference.parts[static_cast<std::size_t>(part_of(category))];
        part.first += first.account[kind];
        part.second += second.account[kind];
    }
}

void add_activities(TraceDifference& difference) {
    const TraceShares& first = difference.first.shares;
    const TraceShares& second = difference.second.shares;
    difference.whole = {.name = "the whole run", .first = first.window, .second = second.window, .activity = {}};
    for (const ShareRow& row : share_rows()) {
        difference.parts.push_back({.name = row.name,
                                    .first = first.mean.*row.value,
                                    .second = second.mean.*row.value,
                                    .adds_up = row.is_part,
                                    .activity = activity_of_part(row.value)});
    }
}

std::string more_or_less(double by, double of) {
    return of > 0 ? fmt::format("{:.1f} % {}", 100 * std::abs(by) / of, by < 0 ? "less" : "more")
                  : std::string(by < 0 ? "less" : "more");
}

// The part that contributed most to the change of the whole, or that differs most if the whole is unchanged.
const PartDifference* main_part(const TraceDifference& difference) {
    const double whole = difference.whole.by();
    const PartDifference* found = nullptr;
    double most = nothing;
    for (const PartDifference& part : difference.parts) {
        const double weight = std::abs(whole) <= nothing ? std::abs(part.by()) : part.by() * (whole < 0 ? -1 : 1);
        if (part.adds_up && weight > most) {
            most = weight;
            found = &part;
        }
    }
    return found;
}

std::string label_clause(const std::vector<LabelDifference>& labels, Activity activity, double part_by) {
    const auto cause = std::find_if(labels.begin(), labels.end(), [&](const LabelDifference& label) {
        return label.activity == activity && label.by() * part_by > 0;
    });
    if (cause == labels.end()) {
        return "";
    }
    const double share = cause->by() / part_by;
    return fmt::format(", {} in \"{}\"",
                       share > 0.995 ? "all of it"
                       : share > 0.5 ? "most of it"
                                     : "above all",
                       cause->label);
}

std::string cause_of(const TraceDifference& difference) {
    const double whole = difference.whole.by();
    const PartDifference* const part = main_part(difference);
    const std::string begin = std::abs(whole) <= nothing
                                  ? fmt::format("{} takes as long as {}", difference.second.name, difference.first.name)
                                  : fmt::format("{} takes {} time than {}", difference.second.name,
                                                more_or_less(whole, difference.whole.first), difference.first.name);
    if (part == nullptr) {
        return begin + ", with the same shares.";
    }
    const double by = part->by();
    // A percentage of a part that was almost zero is meaningless.
    const std::string amount =
        part->first > std::abs(by) / 10 ? more_or_less(by, part->first) : std::string(by < 0 ? "less" : "more");
    return fmt::format("{}: it has {} {}{}.", begin, amount, part->name,
                       part->activity ? label_clause(difference.labels, *part->activity, by) : "");
}

}  // namespace

DiffSide diff_side(const std::string& name, TraceShares shares, int steps) {
    const double by = std::max(steps, 1);
    shares.window /= by;
    for (const ShareRow& row : share_rows()) {
        shares.mean.*row.value /= by;
        for (Shares& rank : shares.of_rank) {
            rank.*row.value /= by;
        }
    }
    for (LabelShare& label : shares.labels) {
        label.lasted /= by;
        label.exposed /= by;
    }
    return {.name = name, .shares = std::move(shares), .steps = std::max(steps, 1)};
}

TraceDifference difference_of(DiffSide first, DiffSide second) {
    TraceDifference difference{.first = std::move(first),
                               .second = std::move(second),
                               .whole = {},
                               .parts = {},
                               .categories = {},
                               .labels = {},
                               .cause = ""};
    if (difference.first.shares.has_account && difference.second.shares.has_account) {
        add_accounts(difference);
    } else {
        add_activities(difference);
    }
    difference.labels = label_differences(difference.first.shares, difference.second.shares);
    difference.cause = cause_of(difference);
    return difference;
}

}  // namespace sim::trace_files
