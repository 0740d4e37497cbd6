// The account of steps shows where the time of each rank's steady steps went, to the picosecond: computation by
// purpose, exposed communication, and idle time of its GPU.
//
// It receives all spans of a run and the end of each step (GPU::step_done), with the number of the optimizer that
// stepped. Of concurrent kernels, the first in `precedence` counts; a collective counts only while nothing is computed,
// and of several the one with the smallest CollectiveKind. Cost: about 30 ns per span, and 1.5 MB per rank, whatever
// the number of steps. Work on other streams that is more than 30,000 spans ahead of the rank's program is not counted.
#pragma once

#include "libsim/trace/span.hpp"
#include "libsim/units.hpp"
#include "tools/torch/prices/work.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sim::torch {

// An activity of a GPU. The order is the precedence.
struct Activity {
    static constexpr int computing = -1;

    int collective = computing;  // CollectiveKind
    int place = 0;               // for computation: index of its category in `precedence`
    int members = 0;             // of the collective's group, including those that it stands for
    bool crosses_nodes = false;
    friend auto operator<=>(const Activity&, const Activity&) = default;

    bool computes() const { return collective == computing; }
};
prices::Category category_of(const Activity& activity);  // Requires: it computes.

using TimeOf = std::map<Activity, Duration>;

struct SteadySteps {
    std::int64_t steps = 0;
    Duration time{0};  // of all steps together
    TimeOf of;         // the rest of the time the GPU was idle
};

class StepAccount {
public:
    StepAccount(int ranks, int gpus_of_node) : ranks_(static_cast<std::size_t>(ranks)), gpus_of_node_(gpus_of_node) {}

    void add(const trace::Span& span);
    void end_step(int rank, std::int64_t optimizer, Time at);

    // The steps of the optimizer that stepped most often, the first one in a tie: from the second end of a step to the
    // last, or from the first if there are only two. None if there are fewer than two.
    std::optional<SteadySteps> steady(int rank) const;

private:
    struct Interval {
        Time begin;
        Time end;
        std::uint32_t activity;
        bool is_beside;  // on a stream other than the program's
    };
    struct StepEnd {
        Time at;
        std::int64_t optimizer;
    };
    // The time of all activities up to `at`.
    struct Sum {
        Time at;
        TimeOf of;
    };
    struct Ends {
        std::int64_t count = 0;
        Sum first;
        Sum second;
        Sum last;
    };
    struct OfRank {
        std::vector<Interval> program;  // in order
        std::vector<Interval> beside;   // on other streams
        std::vector<StepEnd> ends;
        Time counted;  // everything before this is in `sum`
        std::vector<Duration> sum;
        std::map<std::int64_t, Ends> of_optimizers;
    };

    std::uint32_t number_of(const trace::Span& span);
    void count(OfRank& rank, Time until) const;
    void count_part(OfRank& rank, const std::vector<Interval>& all, std::size_t& next, std::vector<Interval>& active,
                    Time until) const;
    void note_end(OfRank& rank, const StepEnd& end) const;
    Sum sum_of(const OfRank& rank, Time at) const;
    bool precedes(std::uint32_t a, std::uint32_t b) const { return activities_[a] < activities_[b]; }

    std::vector<OfRank> ranks_;
    int gpus_of_node_;
    std::vector<Activity> activities_;
    std::map<Activity, std::uint32_t> numbers_;
    std::map<const Group*, Activity> of_groups_;  // without the kind of collective
};

}  // namespace sim::torch
