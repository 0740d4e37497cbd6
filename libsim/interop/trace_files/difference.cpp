#include "libsim/interop/trace_files/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace sim::trace_files {

namespace {

// Less than a picosecond for each of many ranks: a last digit of a sum.
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

// The activity whose labels make that part of the time; none of idle time.
std::optional<Activity> activity_of_part(double Shares::*part) {
    if (part == &Shares::compute) {
        return Activity::compute;
    }
    if (part == &Shares::exposed) {
        return Activity::communication;
    }
    return part == &Shares::copies ? std::optional{Activity::copies} : std::nullopt;
}

std::string more_or_less(double by, double of) {
    return of > 0 ? fmt::format("{:.1f} % {}", 100 * std::abs(by) / of, by < 0 ? "less" : "more")
                  : std::string(by < 0 ? "less" : "more");
}

// The part that did most of what happened to the whole, or that differs most where the whole is the same.
const ShareRow* main_part(const Shares& first, const Shares& second, double whole) {
    const ShareRow* found = nullptr;
    double most = nothing;
    for (const ShareRow& row : share_rows()) {
        const double by = second.*row.value - first.*row.value;
        const double weight = std::abs(whole) <= nothing ? std::abs(by) : by * (whole < 0 ? -1 : 1);
        if (row.is_part && weight > most) {
            most = weight;
            found = &row;
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
                                     : "first of all",
                       cause->label);
}

std::string cause_of(const TraceDifference& difference) {
    const Shares& first = difference.first.shares.mean;
    const Shares& second = difference.second.shares.mean;
    const double window = difference.first.shares.window;
    const double whole = difference.second.shares.window - window;
    const ShareRow* const part = main_part(first, second, whole);
    const std::string begin = std::abs(whole) <= nothing
                                  ? fmt::format("{} takes as long as {}", difference.second.name, difference.first.name)
                                  : fmt::format("{} takes {} time than {}", difference.second.name,
                                                more_or_less(whole, window), difference.first.name);
    if (part == nullptr) {
        return begin + ", with the same shares.";
    }
    const double by = second.*part->value - first.*part->value;
    const std::optional<Activity> activity = activity_of_part(part->value);
    const double had = first.*part->value;
    // Of a part that was next to nothing, a percentage says nothing.
    const std::string amount = had > std::abs(by) / 10 ? more_or_less(by, had) : std::string(by < 0 ? "less" : "more");
    return fmt::format("{}: it has {} {}{}.", begin, amount, part->name,
                       activity ? label_clause(difference.labels, *activity, by) : "");
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
    TraceDifference difference{.first = std::move(first), .second = std::move(second), .labels = {}, .cause = ""};
    difference.labels = label_differences(difference.first.shares, difference.second.shares);
    difference.cause = cause_of(difference);
    return difference;
}

}  // namespace sim::trace_files
