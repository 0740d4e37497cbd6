#include "libsim/search/verdicts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace sim::search {

namespace {

using Kind = PlanVerdict::Kind;
// Layouts simulated before the outdone ones are determined again. Independent of the number of threads, so that the set
// of simulated layouts is, too.
constexpr std::size_t round_size = 8;
constexpr std::size_t bounds_at_a_time = 16;

class Judge {
public:
    Judge(const PlanQuestion& question, const std::vector<PlanPoint>& points, const SearchOptions& options)
        : question_(question), points_(points), options_(options), verdicts_(points.size()) {
        for (const int gpus : question.space.gpus) {
            placed_.try_emplace(gpus, question_of(question, gpus));
        }
    }

    std::vector<PlanVerdict> judge() && {
        const bool all = for_each(points_.size(), points_.size(), 0, bounds_at_a_time, "bounds", [&](std::size_t i) {
            verdicts_[i] = bounds_of(placed_.at(points_[i].gpus), points_[i], options_.oracle);
        });
        if (all) {
            simulate_rounds();
        }
        return std::move(verdicts_);
    }

private:
    bool for_each(std::size_t count, std::size_t all, std::size_t before, std::size_t block, const char* what,
                  const std::function<void(std::size_t)>& work) const {
        EachOptions options{.block = block, .should_stop = options_.should_stop};
        if (options_.on_progress) {
            options.on_progress = [&](std::size_t done) { options_.on_progress(before + done, all, what); };
        }
        return options_.for_each(count, options, work);
    }

    Tradeoff tradeoff(std::size_t i) const {
        const PlanOracle::Answer& answer = verdicts_[i].answer;
        return {answer.step, answer.memory, cost_of_step(question_, points_[i], answer.step)};
    }

    // Layouts that may fit, the most promising first.
    std::vector<std::size_t> candidates() const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < verdicts_.size(); ++i) {
            if (verdicts_[i].kind == Kind::may_fit) {
                found.push_back(i);
            }
        }
        const auto key = [&](std::size_t i) {
            const Tradeoff bound = tradeoff(i);
            return std::tuple(first_merit(options_.objective, bound), bound.step, bound.cost, bound.memory, i);
        };
        std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        return found;
    }

    // A simulation is never better than its bound, so one that is no worse than the bound is no worse than the
    // simulation.
    bool is_outdone(std::size_t i) const {
        const Tradeoff bound = tradeoff(i);
        return std::any_of(front_.begin(), front_.end(),
                           [&](const Tradeoff& known) { return is_no_worse(known, bound); });
    }

    // Ordered by the objective, the best first.
    using Merit = std::pair<double, Duration>;
    Merit merit(std::size_t i) const {
        const Tradeoff what = tradeoff(i);
        return {first_merit(options_.objective, what), what.step};
    }
    bool may_be_among_best(std::size_t i) const {
        return options_.best > 0 && (best_.size() < options_.best || merit(i) < *best_.rbegin());
    }

    // Sets the verdict if it is not.
    bool is_worth_simulating(std::size_t i) {
        PlanVerdict& verdict = verdicts_[i];
        // A layout that is outdone in all respects may still be the second best of the list that was asked for.
        if (!options_.exhaustive && is_outdone(i) && !may_be_among_best(i)) {
            verdict.kind = Kind::pruned;
            return false;
        }
        return true;
    }

    void simulate_rounds() {
        const std::vector<std::size_t> order = candidates();
        std::size_t at = 0;
        while (at < order.size()) {
            std::vector<std::size_t> round;
            for (; at < order.size() && round.size() < round_size; ++at) {
                if (is_worth_simulating(order[at])) {
                    round.push_back(order[at]);
                }
            }
            const bool all =
                for_each(round.size(), order.size(), at - round.size(), 1, "simulations", [&](std::size_t i) {
                    const PlanPoint& point = points_[round[i]];
                    verdicts_[round[i]] = simulated(placed_.at(point.gpus), point, options_.oracle);
                });
            if (!all) {
                return;
            }
            for (const std::size_t i : round) {
                remember(i);
            }
        }
    }

    void remember(std::size_t i) {
        if (verdicts_[i].kind != Kind::feasible) {
            return;
        }
        if (may_be_among_best(i)) {
            best_.insert(merit(i));
            if (best_.size() > options_.best) {
                best_.erase(std::prev(best_.end()));
            }
        }
        if (is_outdone(i)) {
            return;
        }
        const Tradeoff found = tradeoff(i);
        // Whatever these would outdo, the new one outdoes as well.
        std::erase_if(front_, [&](const Tradeoff& other) { return is_no_worse(found, other); });
        front_.push_back(found);
    }

    const PlanQuestion& question_;
    const std::vector<PlanPoint>& points_;
    const SearchOptions& options_;
    std::vector<PlanVerdict> verdicts_;
    std::map<int, PlanQuestion> placed_;  // by number of GPUs
    std::vector<Tradeoff> front_;         // of the simulated layouts
    std::multiset<Merit> best_;           // of the simulated layouts that fit, at most options_.best
};

}  // namespace

double cost_of_step(const PlanQuestion& question, const PlanPoint& point, Duration step) {
    const double price = question.machine.gpu.usd_per_hour > 0 ? question.machine.gpu.usd_per_hour : 1;
    return point.gpus * seconds(step) / 3600 * price;
}

PlanVerdict bounds_of(const PlanQuestion& question, const PlanPoint& point, const PlanOracle& oracle) {
    const training::Layout layout = layout_of(question.space, question.model, point);
    training::Misfit misfit{};
    if (!training::is_possible(question.model, question.machine, layout, &misfit)) {
        return {.kind = Kind::refused, .misfit = misfit};
    }
    if (layout.ranks() != point.gpus) {
        return {.kind = Kind::refused, .misfit = training::Misfit::gpus};
    }
    // Memory before time: a layout that does not fit needs no bound of its time.
    const std::int64_t least = oracle.least_memory(question, layout);
    if (least > question.machine.gpu.memory_bytes) {
        return {.kind = Kind::too_large_at_least, .answer = {.memory = least}};
    }
    return {.kind = Kind::may_fit, .answer = {.step = oracle.least_step(question, layout), .memory = least}};
}

PlanVerdict simulated(const PlanQuestion& question, const PlanPoint& point, const PlanOracle& oracle) {
    const PlanOracle::Answer answer = oracle.simulate(question, layout_of(question.space, question.model, point));
    return {.kind = answer.memory > question.machine.gpu.memory_bytes ? Kind::too_large : Kind::feasible,
            .answer = answer};
}

std::vector<PlanVerdict> verdicts_of(const PlanQuestion& question, const std::vector<PlanPoint>& points,
                                     const SearchOptions& options) {
    return Judge(question, points, options).judge();
}

}  // namespace sim::search
