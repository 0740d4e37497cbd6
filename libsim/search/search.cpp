#include "libsim/search/search.hpp"

#include "libsim/search/verdicts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace sim::search {

using namespace predict;

namespace {

using Kind = PlanVerdict::Kind;
constexpr std::size_t shown_misses = 3;

void count(PlanCounts& counts, const PlanVerdict& verdict) {
    ++counts.all;
    switch (verdict.kind) {
        case Kind::not_reached:
        case Kind::may_fit: ++counts.not_reached; break;
        case Kind::refused: ++counts.refused[static_cast<std::size_t>(verdict.misfit)]; break;
        case Kind::too_large_at_least: ++counts.too_large_at_least; break;
        case Kind::pruned: ++counts.pruned; break;
        case Kind::too_large: ++counts.too_large; break;
        case Kind::feasible: ++counts.feasible; break;
    }
}

bool is_too_large(const PlanVerdict& verdict) {
    return verdict.kind == Kind::too_large_at_least || verdict.kind == Kind::too_large;
}

// Best first.
void sort_rows(std::vector<PlanRow>& rows, PlanObjective objective) {
    const auto key = [&](const PlanRow& row) {
        return std::tuple(first_merit(objective, {row.step, row.memory, row.cost}), row.step, row.cost, row.memory);
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const PlanRow& a, const PlanRow& b) { return key(a) < key(b); });
}

std::vector<std::size_t> front_of(const std::vector<PlanRow>& rows) {
    std::vector<Tradeoff> all;
    for (const PlanRow& row : rows) {
        all.push_back({row.step, row.memory, row.cost});
    }
    std::vector<std::size_t> front = pareto_front(all);
    std::sort(front.begin(), front.end());
    return front;
}

// Compares with the fastest on equally many GPUs.
void mark_fastest(std::vector<PlanRow>& rows, const training::Machine& machine) {
    std::map<int, Duration> fastest;
    for (const PlanRow& row : rows) {
        const auto [at, is_new] = fastest.try_emplace(row.point.gpus, row.step);
        at->second = std::min(at->second, row.step);
    }
    for (PlanRow& row : rows) {
        row.may_be_fastest = !are_told_apart(row.step, fastest[row.point.gpus], machine);
    }
}

void keep_nearest(std::vector<PlanMiss>& misses) {
    std::stable_sort(misses.begin(), misses.end(),
                     [](const PlanMiss& a, const PlanMiss& b) { return a.memory < b.memory; });
    misses.resize(std::min(misses.size(), shown_misses));
}

class Cells {
public:
    void add(const PlanPoint& point, Duration step, bool simulated) {
        const auto [at, is_new] =
            found_.try_emplace({point.tp, point.pp}, PlanCell{point.tp, point.pp, step, simulated});
        if (!is_new && step < at->second.step) {
            at->second = {point.tp, point.pp, step, simulated};
        }
    }
    std::vector<PlanCell> all() const {
        std::vector<PlanCell> cells;
        for (const auto& [at, cell] : found_) {
            cells.push_back(cell);
        }
        return cells;
    }

private:
    std::map<std::pair<int, int>, PlanCell> found_;
};

// The layout on `gpus` GPUs that needs the least memory; 0 GPUs if none fits.
EnoughGpus smallest_of(const PlanQuestion& asked, int gpus, const PlanOracle& oracle) {
    const PlanQuestion question = question_of(asked, gpus);
    EnoughGpus found;
    for (const PlanPoint& point : points_of(question.space, question.model, question.machine)) {
        const PlanVerdict verdict = bounds_of(question, point, oracle);
        if (verdict.kind == Kind::may_fit && (found.gpus == 0 || verdict.answer.memory < found.smallest.memory)) {
            found = {point.gpus, {point, verdict.answer.memory}};
        }
    }
    if (found.gpus > 0) {
        // One layout that fits shows that so many GPUs are enough; the one with the smallest bound is the likeliest.
        const PlanVerdict verdict = simulated(question, found.smallest.point, oracle);
        found.smallest.memory = verdict.answer.memory;
        found.gpus = verdict.kind == Kind::feasible ? found.gpus : 0;
    }
    return found;
}

}  // namespace

std::size_t PlanCounts::refused_in_all() const {
    return std::accumulate(refused.begin(), refused.end(), std::size_t{0});
}

PlanQuestion question_of(const PlanQuestion& question, int gpus) {
    PlanQuestion one = question;
    one.space.gpus = {gpus};
    one.machine = machine_of_job(question.machine, gpus);
    return one;
}

TrainingCase case_of(const PlanQuestion& question, const PlanPoint& point) {
    return predict::case_of(question.model, question.machine, layout_of(question.space, question.model, point));
}

Plan search_layouts(const PlanQuestion& question, const SearchOptions& options) {
    const std::vector<PlanPoint> points = points_of(question.space, question.model, question.machine);
    const std::vector<PlanVerdict> verdicts = verdicts_of(question, points, options);
    Plan plan;
    Cells cells;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& [kind, misfit, answer] = verdicts[i];
        count(plan.counts, verdicts[i]);
        if (kind == Kind::feasible || kind == Kind::pruned) {
            cells.add(points[i], answer.step, kind == Kind::feasible);
        }
        if (kind == Kind::feasible) {
            plan.rows.push_back({.point = points[i],
                                 .step = answer.step,
                                 .range = range_of(answer.step, question.model, question.machine),
                                 .memory = answer.memory,
                                 .tokens_per_second = answer.tokens_per_second,
                                 .mfu = answer.mfu,
                                 .flops_per_second = answer.flops_per_second,
                                 .cost = cost_of_step(question, points[i], answer.step)});
        } else if (is_too_large(verdicts[i])) {
            plan.nearest.push_back({points[i], answer.memory});
        }
    }
    sort_rows(plan.rows, options.objective);
    mark_fastest(plan.rows, question.machine);
    plan.pareto = front_of(plan.rows);
    keep_nearest(plan.nearest);
    plan.cells = cells.all();
    return plan;
}

void add_robustness(const PlanQuestion& question, std::span<const std::size_t> rows, const ForEach& for_each,
                    Plan& plan) {
    for_each(rows.size(), {}, [&](std::size_t i) {
        PlanRow& row = plan.rows[rows[i]];
        const TrainingCase what = case_of(question, row.point);
        row.robustness = robustness_of(what.model, what.machine, what.layout);
    });
}

EnoughGpus enough_gpus(const PlanQuestion& question, const PlanOracle& oracle) {
    constexpr int most_times = 1024;
    constexpr int most_gpus = 1 << 20;
    const int asked = *std::max_element(question.space.gpus.begin(), question.space.gpus.end());
    // By doubling, because each number of GPUs is a search of its own.
    for (int times = 2; times <= most_times && asked <= most_gpus / times; times *= 2) {
        if (const EnoughGpus found = smallest_of(question, asked * times, oracle); found.gpus > 0) {
            return found;
        }
    }
    return {};
}

const char* name_of(PlanObjective objective) {
    switch (objective) {
        case PlanObjective::cost: return "cost";
        case PlanObjective::memory: return "memory";
        case PlanObjective::time: break;
    }
    return "time";
}

double first_merit(PlanObjective objective, const Tradeoff& what) {
    switch (objective) {
        case PlanObjective::cost: return what.cost;
        case PlanObjective::memory: return static_cast<double>(what.memory);
        case PlanObjective::time: break;
    }
    return 0;
}

bool is_no_worse(const Tradeoff& a, const Tradeoff& b) {
    return a.step <= b.step && a.memory <= b.memory && a.cost <= b.cost;
}

std::vector<std::size_t> pareto_front(std::span<const Tradeoff> all) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) { return std::tuple(all[i].step, all[i].cost, all[i].memory, i); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::size_t> front;
    for (const std::size_t candidate : order) {
        // Any candidate that beats it, or is equal and comes first, is before it in this order.
        const bool is_beaten =
            std::any_of(front.begin(), front.end(), [&](std::size_t f) { return is_no_worse(all[f], all[candidate]); });
        if (!is_beaten) {
            front.push_back(candidate);
        }
    }
    return front;
}

}  // namespace sim::search
