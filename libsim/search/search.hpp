// A search goes through all layouts of a space: it finds those that are legal, those that fit into memory, and the step
// time of the best of these.
//
// Checks run cheapest first: legality (training::is_possible), a lower bound on memory (training::least_memory), a
// lower bound on the step time (training::estimated_step), and the simulation (predict).
// A layout is pruned if one already simulated is at least as good as its bounds in step, memory and cost, so that it
// cannot be better in anything, and if it cannot be among the best that are asked for either. The set of simulated
// layouts does not depend on the number of threads.
#pragma once

#include "libsim/for_each.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/robustness.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/search/pareto.hpp"
#include "libsim/search/space.hpp"
#include "libsim/training/check_layout.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sim::search {

struct PlanQuestion {
    training::Transformer model;
    training::Machine machine;
    PlanSpace space;
};
// The question of one number of its GPUs alone, with the machine as predict::case_of() lays such a job on its nodes.
PlanQuestion question_of(const PlanQuestion& question, int gpus);
// The case that `ndsim train` predicts of the same layout.
predict::TrainingCase case_of(const PlanQuestion& question, const PlanPoint& point);

// The oracle evaluates one legal layout of a question of one number of GPUs; it is called by several threads at once.
struct PlanOracle {
    struct Answer {
        Duration step{0};
        std::int64_t memory = 0;
        double tokens_per_second = 0;
        double mfu = 0;
    };
    std::function<std::int64_t(const PlanQuestion&, const training::Layout&)> least_memory;
    std::function<Duration(const PlanQuestion&, const training::Layout&)> least_step;
    std::function<Answer(const PlanQuestion&, const training::Layout&)> simulate;
};
// least_memory(), estimated_step() and predict_step().
PlanOracle predictor();

enum class PlanObjective : std::uint8_t { time, cost };

struct PlanOptions {
    PlanObjective objective = PlanObjective::time;
    bool exhaustive = false;        // simulate all that may fit
    std::size_t best = 0;           // simulate at least what may be among so many best of the objective
    ForEach for_each = one_by_one;  // of layouts: bounds, and simulations of a round
    PlanOracle oracle;
    // Some 20 times a second, in the caller's thread; `what` is being done.
    std::function<void(std::size_t done, std::size_t all, const char* what)> on_progress;
    std::function<bool()> should_stop;  // called as often
};

inline constexpr std::size_t misfit_kinds = 12;

// The outcomes of the layouts; the numbers add up to `all`.
struct PlanCounts {
    std::size_t all = 0;
    std::array<std::size_t, misfit_kinds> refused{};  // by training::Misfit
    std::size_t too_large_at_least = 0;               // found without a simulation
    std::size_t too_large = 0;                        // found by one
    std::size_t outdone = 0;      // may fit, but are no better in anything than one that was simulated
    std::size_t feasible = 0;     // simulated, and fit
    std::size_t not_reached = 0;  // it was stopped before

    std::size_t refused_in_all() const;
    // Legal ones that got a verdict; of them, those that were simulated.
    std::size_t evaluated() const { return too_large_at_least + too_large + outdone + feasible; }
    std::size_t simulated() const { return too_large + feasible; }
    std::size_t need_too_much() const { return too_large_at_least + too_large; }
};

// A layout that was simulated and fits.
struct PlanRow {
    PlanPoint point;
    Duration step{0};
    predict::StepRange range;     // of the step, as measured
    bool may_be_fastest = false;  // it cannot be told apart from the fastest on as many GPUs: step_range.hpp
    std::int64_t memory = 0;      // of the fullest rank
    double tokens_per_second = 0;
    double mfu = 0;
    double cost = 0;                                     // of a step: USD, or GPU-hours where no price is known
    std::optional<predict::Robustness> robustness = {};  // of those that are listed: add_robustness()
};
// One that does not fit.
struct PlanMiss {
    PlanPoint point;
    std::int64_t memory = 0;
};

// The shortest step known of a pair of axes: of a simulation, or the bound of one that is outdone.
struct PlanCell {
    int tp = 1;
    int pp = 1;
    Duration step{0};
    bool simulated = false;
};

struct Plan {
    PlanCounts counts;
    std::vector<PlanRow> rows;        // best first; equal ones as points_of() has them
    std::vector<std::size_t> pareto;  // of rows, best first
    std::vector<PlanMiss> nearest;    // of those that do not fit, the 3 that need least
    std::vector<PlanCell> cells;      // by tp, then pp
};

// Throws what the oracle throws, for the first layout that it throws for.
Plan search_layouts(const PlanQuestion& question, const PlanOptions& options);

// Adds the robustness of some of its rows.
void add_robustness(const PlanQuestion& question, std::span<const std::size_t> rows, const ForEach& for_each,
                    Plan& plan);

// The fewest GPUs, 2, 4, 8 … times those given, on which a layout fits; 0 if none up to 1,024 times does.
struct EnoughGpus {
    int gpus = 0;
    PlanMiss smallest;
};
EnoughGpus enough_gpus(const PlanQuestion& question, const PlanOracle& oracle);

}  // namespace sim::search
