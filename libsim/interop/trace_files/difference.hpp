// The difference of two traces: of each part of the time, which labels made it, and the cause in one sentence.
//
// Of two predicted steps the parts are those in which `ndsim compare` compares them, from the account of each; of all
// others they are the activities that a profiler sees.
#pragma once

#include "libsim/interop/trace_files/shares.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::trace_files {

// One of the two, with the times of one step.
struct DiffSide {
    std::string name;
    TraceShares shares;
    int steps = 1;  // that its times were divided by
};
// Divides all times by the steps, where there are more than one.
DiffSide diff_side(const std::string& name, TraceShares shares, int steps);

struct LabelDifference {
    std::string label;
    Activity activity = Activity::compute;
    double first = 0;  // exposed seconds, mean over the ranks; 0 where a side has no such label
    double second = 0;
    double by() const { return second - first; }
};

// Seconds, mean over the ranks.
struct PartDifference {
    std::string_view name;  // "exposed communication"
    double first = 0;
    double second = 0;
    bool adds_up = true;               // one of those that add up to the whole
    std::optional<Activity> activity;  // whose labels make it
    double by() const { return second - first; }
};
struct CategoryDifference {
    TimeCategory category = TimeCategory::compute;
    double first = 0;
    double second = 0;
    double by() const { return second - first; }
};

struct TraceDifference {
    DiffSide first;
    DiffSide second;
    PartDifference whole;  // the run, or the step
    std::vector<PartDifference> parts;
    std::vector<CategoryDifference> categories;  // all of them, where both have an account
    std::vector<LabelDifference> labels;         // those that differ, most first
    std::string cause;                           // "predicted.json takes 12.1 % less time than …"
};

TraceDifference difference_of(DiffSide first, DiffSide second);

}  // namespace sim::trace_files
