// The difference of two traces: the labels behind each part of the time, and the cause in one sentence.
//
// For two predicted steps the parts are those of `ndsim compare`, from the account of each; for all other traces they
// are the activities that a profiler sees.
#pragma once

#include "libsim/interop/trace_files/shares.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::trace_files {

// One of the two sides, with the times of one step.
struct DiffSide {
    std::string name;
    TraceShares shares;
    int steps = 1;  // its times were divided by this
};
// Divides all times by `steps` if there is more than one.
DiffSide diff_side(const std::string& name, TraceShares shares, int steps);

struct LabelDifference {
    std::string label;
    Activity activity = Activity::compute;
    double first = 0;  // exposed seconds, mean over the ranks; 0 if a side lacks the label
    double second = 0;
    double by() const { return second - first; }
};

// One part's seconds, mean over the ranks.
struct PartDifference {
    std::string_view name;  // "exposed communication"
    double first = 0;
    double second = 0;
    bool adds_up = true;               // one of the parts that add up to the whole
    std::optional<Activity> activity;  // the activity whose labels make it up
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
    PartDifference whole;  // the run or the step
    std::vector<PartDifference> parts;
    std::vector<CategoryDifference> categories;  // all categories, if both sides have an account
    std::vector<LabelDifference> labels;         // labels that differ, largest difference first
    std::string cause;                           // "predicted.json takes 12.1 % less time than …"
};

TraceDifference difference_of(DiffSide first, DiffSide second);

}  // namespace sim::trace_files
