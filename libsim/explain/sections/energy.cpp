// Power and energy of a step, from the machine's figures, and of a scenario's run, on an assumed GPU.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
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
        {"A step consumes {joules}: {gpu_joules} in the GPUs and {host_joules} in the hosts around them. The GPUs are "
         "busy for {busy_share} of the step."}};
    section.figures = {
        {"busy_watts", "power of a busy GPU", watts.busy, Unit::watts, "hardware file: power_watts"},
        {"idle_watts", "power of a waiting GPU", watts.idle, Unit::watts, watts.idle_how},
        {"host_watts", "power of a node without its GPUs", watts.host > 0 ? Value(watts.host) : Value(), Unit::watts,
         watts.host > 0 ? watts.host_how : "not known"},
        {"busy_seconds", "busy time", busy, Unit::seconds, "computing, recomputing and updating: a GPU's average"},
        {"busy_share", "share of the step", step > 0 ? busy / step : 0, Unit::share, "busy time / step"},
        {"gpu_joules", "GPUs in a step", least, Unit::joules,
         "lower bound: GPUs x (busy time x busy power + other time x waiting power); moving data needs more"},
        {"most_joules", "GPUs at full load throughout", gpus * step * watts.busy, Unit::joules, "upper bound"},
        {"host_joules", "hosts in a step", hosts, Unit::joules, fmt::format("{} nodes x watts x step", nodes)},
        {"joules", "total per step", least + hosts, Unit::joules, "GPUs + hosts"},
        {"watts", "average power", step > 0 ? (least + hosts) / step : 0, Unit::watts, "total per step / step"},
    };
    if (report.per_step.kilowatt_hours > 0) {
        section.figures.push_back({"kilowatt_hours", "GPUs at full load", report.per_step.kilowatt_hours,
                                   Unit::kilowatt_hours, "as in ndsim train", "/cost_per_step/kilowatt_hours"});
    }
    return section;
}

namespace {

// A beginner's machine: a GPU and the CPU beside it.
constexpr double gpu_watts = 350;
constexpr double cpu_watts = 65;
constexpr double idle_share_of_watts = 0.1;

}  // namespace

std::optional<Section> explain_energy(const ExplainedRun& run) {
    const RunLosses losses = losses_of(run);
    const double busy = sim::seconds(losses.ideal + losses.extra_compute);
    const double whole = sim::seconds(losses.whole);
    const double gpu = busy * gpu_watts + (whole - busy) * gpu_watts * idle_share_of_watts;
    const double cpu = whole * cpu_watts;
    Section section{.kind = SectionKind::energy};
    section.said = {
        {"With GPUs of {gpu_watts} and a CPU of {cpu_watts} beside each, the run would consume {joules}; the GPUs "
         "would be busy for {busy_share} of the time."}};
    section.figures = {
        {"gpu_watts", "power of a busy GPU", gpu_watts, Unit::watts, "assumed: a scenario's GPU is no product"},
        {"idle_watts", "power of a waiting GPU", gpu_watts * idle_share_of_watts, Unit::watts,
         "assumed: a tenth of that"},
        {"cpu_watts", "power of the CPU beside it", cpu_watts, Unit::watts, "assumed"},
        {"busy_share", "busy share of the GPUs' time", whole > 0 ? busy / whole : 0, Unit::share,
         "sum of compute_seconds / (ranks x run)"},
        {"gpu_joules", "GPUs", gpu, Unit::joules, "busy time x busy power + other time x waiting power"},
        {"cpu_joules", "CPUs", cpu, Unit::joules, "ranks x run x power"},
        {"joules", "total of the run", gpu + cpu, Unit::joules, "GPUs + CPUs"},
        {"alone_joules", "on one GPU", sim::seconds(losses.ideal) * (gpu_watts + cpu_watts), Unit::joules,
         "one GPU alone, always busy"},
    };
    return section;
}

}  // namespace sim::explain
