#include "libsim/fit/validation/predict_run.hpp"

#include "libsim/error.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::fit {

using namespace predict;
namespace {

using training::Layout;
using training::Machine;
using training::Memory;
using training::Recompute;
using training::Transformer;

constexpr std::size_t most_layouts = 12;
constexpr double gib = 1024.0 * 1024 * 1024;

double seconds_of(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

// One layout for each open micro-batch size and number of chunks, with the least recomputation. Leaves out impossible
// ones; throws ProgramError with the reason if all are.
std::vector<Layout> possible_layouts(const Candidates& candidates, const Transformer& model, const Machine& machine) {
    const OpenChoices& open = candidates.open;
    const std::size_t chunks = std::max<std::size_t>(1, most_layouts / open.micro_batches.size());
    std::vector<Layout> result;
    Layout layout = candidates.known;
    for (const int micro_batch : open.micro_batches) {
        for (std::size_t i = 0; i < std::min(chunks, open.interleaves.size()); ++i) {
            layout = candidates.known;
            layout.batch.micro = micro_batch;
            layout.parallelism.interleave = open.interleaves[i];
            layout.framework.recompute = open.recomputes.front();
            if (layout.parallelism.interleave == 1 && layout.parallelism.schedule->uses_chunks) {
                layout.parallelism.schedule = usual_pipeline_schedule();
            }
            if (training::is_possible(model, machine, layout)) {
                result.push_back(layout);
            }
        }
    }
    if (result.empty()) {
        const std::vector<training::LayoutProblem> problems = training::problems_of(model, machine, layout);
        throw ProgramError(problems.empty() ? "no layout is possible" : "layout: " + problems.front().what);
    }
    return result;
}

bool fits(const Transformer& model, const Machine& machine, const Layout& layout) {
    return training::least_memory(model, machine, layout) <= machine.gpu.memory_bytes &&
           training::memory_of(model, machine, layout).fits();
}

// Sets the least recomputation that fits. Returns false if none does, with the most set.
bool take_recompute(const std::vector<Recompute>& choices, const Transformer& model, const Machine& machine,
                    Layout& layout) {
    for (const Recompute choice : choices) {
        layout.framework.recompute = choice;
        if (fits(model, machine, layout)) {
            return true;
        }
    }
    return false;
}

// Sets the least number of offloaded layers that fits, or the most possible if none does. Bisection works because each
// layer lowers memory.
void take_offloading(const Transformer& model, const Machine& machine, Layout& layout) {
    int low = 0;
    int high = model.layers - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        layout.framework.offloaded_layers = middle;
        if (fits(model, machine, layout)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    layout.framework.offloaded_layers = high;
}

struct Choice {
    Layout layout;
    double recomputed = 1;  // share of the layers that recompute as the layout says; the others recompute the least
    Duration step{0};
};

// The share of the layers that must recompute for the step to fit. Time and memory are taken as linear in it, which
// models frameworks that recompute layer by layer.
double least_share(const std::vector<Recompute>& choices, const Transformer& model, const Machine& machine,
                   const Layout& layout) {
    if (layout.framework.recompute == choices.front() || choices.size() == 1) {
        return 1;
    }
    Layout without = layout;
    without.framework.recompute = choices.front();
    const auto all = static_cast<double>(training::least_memory(model, machine, without));
    const auto least = static_cast<double>(training::least_memory(model, machine, layout));
    const auto capacity = static_cast<double>(machine.gpu.memory_bytes);
    if (all <= capacity || least >= capacity) {
        return 1;
    }
    const double layers = std::ceil((all - capacity) / (all - least) * model.layers);
    return std::min(1.0, layers / model.layers);
}

Duration step_of(const Choice& choice, const std::vector<Recompute>& choices, const Transformer& model,
                 const Machine& machine) {
    const Duration all = predict_step(model, machine, choice.layout, {.details = false}).step;
    if (choice.recomputed >= 1) {
        return all;
    }
    Layout without = choice.layout;
    without.framework.recompute = choices.front();
    const Duration none = predict_step(model, machine, without, {.details = false}).step;
    return none + duration_of_seconds(seconds_of(all - none) * choice.recomputed);
}

Choice fastest(const std::vector<Layout>& layouts, const std::vector<Recompute>& choices, const Transformer& model,
               const Machine& machine) {
    Choice best;
    for (const Layout& layout : layouts) {
        Choice choice{layout, least_share(choices, model, machine, layout), Duration{0}};
        choice.step = step_of(choice, choices, model, machine);
        if (best.step == Duration{0} || choice.step < best.step) {
            best = choice;
        }
    }
    return best;
}

Layout smallest(const std::vector<Layout>& layouts, const Transformer& model, const Machine& machine) {
    return *std::min_element(layouts.begin(), layouts.end(), [&](const Layout& a, const Layout& b) {
        return training::least_memory(model, machine, a) < training::least_memory(model, machine, b);
    });
}

Choice chosen(const Candidates& candidates, const Transformer& model, const Machine& machine, Assumed& assumed) {
    std::vector<Layout> possible = possible_layouts(candidates, model, machine);
    const OpenChoices& open = candidates.open;
    if (open.offloads) {
        for (Layout& layout : possible) {
            take_offloading(model, machine, layout);
        }
    }
    if (possible.size() == 1 && open.recomputes.size() == 1) {
        return fastest(possible, open.recomputes, model, machine);  // it ran, so it fits
    }
    std::vector<Layout> fitting;
    std::vector<Layout> others;
    for (Layout layout : possible) {
        (take_recompute(open.recomputes, model, machine, layout) ? fitting : others).push_back(layout);
    }
    if (fitting.empty()) {
        assumed["memory"] = "no open layout fits; the smallest is taken";
        fitting.push_back(smallest(others, model, machine));
    }
    return fastest(fitting, open.recomputes, model, machine);
}

void note_choices(const Candidates& candidates, const Choice& choice, int layers, Assumed& assumed) {
    const Layout& layout = choice.layout;
    const OpenChoices& open = candidates.open;
    if (open.micro_batches.size() > 1) {
        assumed["micro_batch"] =
            fmt::format("{}: the fastest of {}", layout.batch.micro, fmt::join(open.micro_batches, ", "));
    }
    if (open.interleaves.size() > 1) {
        assumed["interleave"] =
            fmt::format("{}: the fastest of {}", layout.parallelism.interleave, fmt::join(open.interleaves, ", "));
    }
    if (open.offloads) {
        assumed["offloaded"] = fmt::format("activations of {} of {} layers: the least that fits",
                                           layout.framework.offloaded_layers, layers);
    }
    if (open.recomputes.size() > 1) {
        assumed["recompute"] = fmt::format("{} in {:.0f} % of the layers: the least that fits",
                                           name_of(layout.framework.recompute), 100 * choice.recomputed);
    }
}

// Forward and backward of one more layer, with its exposed communication.
double layer_seconds(Transformer model, const Machine& machine, const Layout& layout) {
    const auto busy = [&] {
        const Budget budget = predict_step(model, machine, layout).budget;
        double sum = 0;
        for (const TimeCategory category : {TimeCategory::compute, TimeCategory::recompute, TimeCategory::tensor,
                                            TimeCategory::context, TimeCategory::expert}) {
            sum += budget[static_cast<std::size_t>(category)];
        }
        return sum / layout.micro_batches();
    };
    const double one = busy();
    model.layers += 1;
    return busy() - one;
}

double printed_gib(const Memory& memory, const Practice& practice) {
    const training::MemoryUse& peak = memory.fullest().peak;
    switch (practice.memory) {
        case MemoryMeans::allocated: return static_cast<double>(peak.allocated()) / gib;
        case MemoryMeans::reserved: return static_cast<double>(peak.reserved()) / gib;
        case MemoryMeans::device: break;
    }
    return static_cast<double>(peak.total()) / gib;
}

void predict_into(RunPrediction& result, const RunRecord& record, const MachinesByName& machines,
                  const std::vector<EfficiencyChange>& changes) {
    const Practice& practice = practice_of(record);
    result.causal_half = practice.causal_half;
    result.model = transformer_of(record, practice, result.assumed);
    Machine machine = machine_of(record, machines, changes, result.assumed);
    machine.gpu.efficiency.gemm_peak *= practice.products;
    const Candidates candidates = candidates_of(record, practice, result.model, machine, result.assumed);
    machine = case_of(result.model, machine, candidates.known).machine;  // open choices keep the number of ranks
    const Choice choice = chosen(candidates, result.model, machine, result.assumed);
    note_choices(candidates, choice, result.model.layers, result.assumed);
    result.layout = choice.layout;
    result.generation = machine.gpu.generation;
    result.step_seconds = seconds_of(choice.step);
    result.range = range_of(choice.step, result.model, machine);
    const auto printed = [&](const Layout& layout) {
        return printed_gib(training::memory_of(result.model, machine, layout), practice);
    };
    Layout without = choice.layout;
    without.framework.recompute = candidates.open.recomputes.front();
    result.memory_gib = choice.recomputed * printed(choice.layout) + (1 - choice.recomputed) * printed(without);
    if (result.model.layers == 1) {
        result.layer_seconds = layer_seconds(result.model, machine, choice.layout);
    }
}

}  // namespace

RunPrediction predict_run(const RunRecord& record, const MachinesByName& machines,
                          const std::vector<EfficiencyChange>& changes) {
    RunPrediction result{.id = record.id, .set = record.set, .problem = record.problem};
    if (!result.problem.empty()) {
        return result;
    }
    try {
        predict_into(result, record, machines, changes);
    } catch (const std::exception& error) {  // includes times beyond the simulator's range
        const std::string what = error.what();
        result.problem = fmt::format("record \"{}\": {}", record.id, what.substr(0, what.find('\n')));
    }
    return result;
}

// Threads take one run at a time: the cost of runs differs a thousandfold.
std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options) {
    const MachinesByName machines = options.machines.empty() ? machines_of(records) : options.machines;
    std::vector<RunPrediction> results(records.size());
    options.for_each(records.size(), {.on_progress = options.on_progress},
                     [&](std::size_t i) { results[i] = predict_run(records[i], machines, options.changes); });
    return results;
}

}  // namespace sim::fit
