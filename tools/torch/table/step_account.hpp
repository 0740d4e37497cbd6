// The account of steps says where the time of each rank's steady steps went, to the picosecond: what its GPU computed
// for, what it communicated while nothing was computed, and for how long it did neither.
//
// It hears of all spans of a run, and of the end of each step (GPU::step_done), which numbers the optimizer that has
// stepped. Of several kernels at a time the one that stands first in `precedence` counts; a collective counts while
// nothing is computed, of several the one with the smallest number in CollectiveKind. Cost: about 30 ns for a span, and
// 1.5 MB a rank, whatever the number of steps. What a rank's other streams did long before its program came there (by
// 30,000 spans) is not counted.
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

// What a GPU does. Those that come first take precedence.
struct Activity {
    static constexpr int computing = -1;

    int collective = computing;  // CollectiveKind
    int place = 0;               // of what is computed: of its category in `precedence`
    int members = 0;             // of the collective's group: all that it stands for
    bool crosses_nodes = false;
    friend auto operator<=>(const Activity&, const Activity&) = default;

    bool computes() const { return collective == computing; }
};
prices::Category category_of(const Activity& activity);  // Requires: it computes.

using TimeOf = std::map<Activity, Duration>;

struct SteadySteps {
    std::int64_t steps = 0;
    Duration time{0};  // of all of them
    TimeOf of;         // the rest of their time the GPU had nothing to do
};

class StepAccount {
public:
    StepAccount(int ranks, int gpus_of_node) : ranks_(static_cast<std::size_t>(ranks)), gpus_of_node_(gpus_of_node) {}

    void add(const trace::Span& span);
    void end_step(int rank, std::int64_t optimizer, Time at);

    // Of the optimizer that stepped most often, and of the first of several: from the second end of a step to the last,
    // or from the first where there are but two. None: there are no two.
    std::optional<SteadySteps> steady(int rank) const;

private:
    struct Interval {
        Time begin;
        Time end;
        std::uint32_t activity;
        bool is_beside;  // the program: of another stream
    };
    struct StepEnd {
        Time at;
        std::int64_t optimizer;
    };
    // All that was done by then.
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
        std::vector<Interval> beside;   // of other streams
        std::vector<StepEnd> ends;
        Time counted;  // until here all is in `sum`
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
    std::map<const Group*, Activity> of_groups_;  // but for their kind
};

}  // namespace sim::torch
