// The power and the energy of a training step: its GPUs, busy and waiting, and the hosts around them.
#include "libsim/explain/step_sections.hpp"
#include "libsim/units.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

namespace {

// Default if no file gives it: power of a waiting GPU as a share of full load.
constexpr double usual_idle_share = 0.1;
// Default if no file gives it: 350 W for the 112 hardware threads of a Xeon 8480.
constexpr double watts_per_core = 350.0 / 112;

// The GPU's own work; for the rest of the step it waits or moves data.
double busy_seconds(const Budget& budget) {
    double busy = 0;
    for (const TimeCategory one : {TimeCategory::compute, TimeCategory::recompute, TimeCategory::optimizer}) {
        busy += budget[static_cast<std::size_t>(one)];
    }
    return busy;
}

struct Watts {
    double busy = 0;
    double idle = 0;
    std::string idle_how;
    double host = 0;  // per node; 0: unknown
    std::string host_how;
};

Watts watts_of(const training::Machine& machine) {
    const training::Accelerator& gpu = machine.gpu;
    const bool known = gpu.idle_watts > 0;
    return {.busy = gpu.power_watts,
            .idle = known ? gpu.idle_watts : usual_idle_share * gpu.power_watts,
            .idle_how = known ? "hardware file: idle_watts" : "assumed: a tenth of its full load",
            .host = machine.host_watts > 0 ? machine.host_watts : watts_per_core * machine.host_cores,
            .host_how = machine.host_watts > 0 ? "hardware file: host_watts, all of a node but its GPUs"
                                               : "assumed: 350 W for 112 cores (Xeon 8480), without fans and cards"};
}

}  // namespace

std::optional<Section> explain_energy(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const TrainingCase& what = report.what;
    if (what.machine.gpu.power_watts == 0) {
        return std::nullopt;
    }
    const Watts watts = watts_of(what.machine);
    const double gpus = what.gpus();
    const auto nodes = ceil_div(what.gpus(), what.machine.gpus_per_node);
    const double step = seconds(report.step.step);
    const double busy = std::min(busy_seconds(report.step.budget), step);
    const double least = gpus * (busy * watts.busy + (step - busy) * watts.idle);
    const double hosts = static_cast<double>(nodes) * watts.host * step;
    Section section{.kind = SectionKind::energy};
    section.said = {
        {"A step takes {joules} of electricity: {gpu_joules} for the GPUs, and {host_joules} for what is "
         "around them. The GPUs are at work for {busy_share} of it."}};
    section.figures = {
        {"busy_watts", "a GPU at work", watts.busy, Unit::watts, "hardware file: power_watts"},
        {"idle_watts", "a GPU that waits", watts.idle, Unit::watts, watts.idle_how},
        {"host_watts", "a node without its GPUs", watts.host > 0 ? Value(watts.host) : Value(), Unit::watts,
         watts.host > 0 ? watts.host_how : "not known"},
        {"busy_seconds", "at work", busy, Unit::seconds, "computing, recomputing and updating: a GPU's average"},
        {"busy_share", "of the step", step > 0 ? busy / step : 0, Unit::share, "at work / step"},
        {"gpu_joules", "GPUs in a step", least, Unit::joules,
         "GPUs x (at work x its watts + the rest x waiting watts): the least; who moves data needs more"},
        {"most_joules", "GPUs at full load throughout", gpus * step * watts.busy, Unit::joules, "the most"},
        {"host_joules", "hosts in a step", hosts, Unit::joules, fmt::format("{} nodes x watts x step", nodes)},
        {"joules", "all in a step", least + hosts, Unit::joules, "GPUs + hosts"},
        {"watts", "average power", step > 0 ? (least + hosts) / step : 0, Unit::watts, "all in a step / step"},
    };
    if (report.per_step.kilowatt_hours > 0) {
        section.figures.push_back({"kilowatt_hours", "GPUs at full load", report.per_step.kilowatt_hours,
                                   Unit::kilowatt_hours, "as ndsim train counts it", "/cost_per_step/kilowatt_hours"});
    }
    return section;
}

}  // namespace sim::explain
