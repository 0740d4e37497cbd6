// A search goes through all layouts of a space: it finds those that are legal, those that fit into memory, and the step
// time of the best of these.
//
// Checks run cheapest first: legality (training::is_possible), a lower bound on memory (training::least_memory), a
// lower bound on the step time (training::estimated_step), and the simulation (predict).
// A layout is pruned if a simulated one is at least as good as its bounds in step, memory and cost, so that it cannot
// be better in any respect, and if it cannot be among the requested number of best ones either. The set of simulated
// layouts does not depend on the number of threads.
#pragma once

#include "libsim/for_each.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/robustness.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/search/space.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/units.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sim::search {

// Less is better for each member.
struct Tradeoff {
    Duration step{0};
    std::int64_t memory = 0;
    double cost = 0;
};
// True if `a` is no worse in any member; equal ones are no worse.
bool is_no_worse(const Tradeoff& a, const Tradeoff& b);

// The Pareto front: the indices of the candidates that none beats, by step, then cost, then memory, then index; the
// first among equals. Cost: n log n, and n times the size of the front.
std::vector<std::size_t> pareto_front(std::span<const Tradeoff> all);

struct PlanQuestion {
    training::Transformer model;
    training::Machine machine;
    PlanSpace space;
};
// The question for one number of GPUs, with the machine as predict::case_of() places such a job on its nodes.
PlanQuestion question_of(const PlanQuestion& question, int gpus);
// The case in which `ndsim train` predicts the same layout.
predict::TrainingCase case_of(const PlanQuestion& question, const PlanPoint& point);

// The oracle evaluates one legal layout of a question with one number of GPUs; several threads call it at once.
struct PlanOracle {
    struct Answer {
        Duration step{0};
        std::int64_t memory = 0;
        double tokens_per_second = 0;
        double mfu = 0;
        double flops_per_second = 0;  // as in predict::Prediction
    };
    std::function<std::int64_t(const PlanQuestion&, const training::Layout&)> least_memory;
    std::function<Duration(const PlanQuestion&, const training::Layout&)> least_step;
    std::function<Answer(const PlanQuestion&, const training::Layout&)> simulate;
};
// The oracle of least_memory(), estimated_step() and predict_step().
PlanOracle predictor();

enum class PlanObjective : std::uint8_t { time, cost, memory };
const char* name_of(PlanObjective objective);  // "time"
// The quantity that is minimised; layouts that are equal in it are ordered by their steps.
double first_merit(PlanObjective objective, const Tradeoff& what);

struct SearchOptions {
    PlanObjective objective = PlanObjective::time;
    bool exhaustive = false;        // simulate everything that may fit
    std::size_t best = 0;           // also simulate everything that may be among this many best by the objective
    ForEach for_each = one_by_one;  // runs bounds, and the simulations of a round
    PlanOracle oracle;
    // Called about 20 times a second, in the caller's thread; `what` names the phase.
    std::function<void(std::size_t done, std::size_t all, const char* what)> on_progress;
    std::function<bool()> should_stop;  // called equally often
};

inline constexpr std::size_t misfit_kinds = 12;

// The outcomes of the layouts; the numbers add up to `all`.
struct PlanCounts {
    std::size_t all = 0;
    std::array<std::size_t, misfit_kinds> refused{};  // by training::Misfit
    std::size_t too_large_at_least = 0;               // found by the bound, without a simulation
    std::size_t too_large = 0;                        // found by a simulation
    std::size_t pruned = 0;                           // may fit, but no better in any respect than a simulated one
    std::size_t feasible = 0;                         // simulated, and fits
    std::size_t not_reached = 0;                      // left when the search was stopped

    std::size_t refused_in_all() const;
    // Legal layouts that got a verdict, and those of them that were simulated.
    std::size_t evaluated() const { return too_large_at_least + too_large + pruned + feasible; }
    std::size_t simulated() const { return too_large + feasible; }
    std::size_t need_too_much() const { return too_large_at_least + too_large; }
};

// A simulated layout that fits.
struct PlanRow {
    PlanPoint point;
    Duration step{0};
    predict::StepRange range;     // the range that measured steps fall into
    bool may_be_fastest = false;  // cannot be told apart from the fastest on equally many GPUs: step_range.hpp
    std::int64_t memory = 0;      // of the fullest rank
    double tokens_per_second = 0;
    double mfu = 0;
    double flops_per_second = 0;                         // as in predict::Prediction
    double cost = 0;                                     // of a step: USD, or GPU-hours if no price is known
    std::optional<predict::Robustness> robustness = {};  // only of those that are listed: add_robustness()
};
// A layout that does not fit.
struct PlanMiss {
    PlanPoint point;
    std::int64_t memory = 0;
};

// The shortest known step of a pair of sizes: simulated, or the bound of an outdone one.
struct PlanCell {
    int tp = 1;
    int pp = 1;
    Duration step{0};
    bool simulated = false;
};

struct Plan {
    PlanCounts counts;
    std::vector<PlanRow> rows;        // best first; equal ones in the order of points_of()
    std::vector<std::size_t> pareto;  // indices of rows, best first
    std::vector<PlanMiss> nearest;    // the 3 layouts that do not fit and need the least memory
    std::vector<PlanCell> cells;      // by tp, then pp
};

// If the oracle throws, throws its exception for the first such layout.
Plan search_layouts(const PlanQuestion& question, const SearchOptions& options);

// Adds the robustness of the given rows.
void add_robustness(const PlanQuestion& question, std::span<const std::size_t> rows, const ForEach& for_each,
                    Plan& plan);

// The fewest GPUs on which a layout fits, in steps of 2, 4, 8 … times the number asked for; 0 if none up to 1,024 times
// fits.
struct EnoughGpus {
    int gpus = 0;
    PlanMiss smallest;
};
EnoughGpus enough_gpus(const PlanQuestion& question, const PlanOracle& oracle);

}  // namespace sim::search
