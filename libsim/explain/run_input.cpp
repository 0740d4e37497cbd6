// The input pipeline and the energy of a scenario's run. A scenario simulates neither; both are computed for its steps.
#include "libsim/explain/run_sections.hpp"

#include <fmt/format.h>

namespace sim::explain {

namespace {

// A picture of 224 x 224 pixels in three colours of 4 bytes, as image models take it.
constexpr double picture_bytes = 224.0 * 224 * 3 * 4;
// Achieved rate of PCIe 3 x16.
constexpr double usual_link = 12e9;
// With this share of an item's computation for loading, a GPU that loads between steps is idle for 40 % of the time.
constexpr double usual_load = 2.0 / 3;

// A beginner's machine: a GPU and the CPU beside it.
constexpr double gpu_watts = 350;
constexpr double cpu_watts = 65;
constexpr double idle_share_of_watts = 0.1;

}  // namespace

InputSituation input_of(const ExplainedRun& run) {
    const ExplainSettings& settings = run.settings;
    const auto items = run.result.at("options").at("items").get<double>();
    const int replicas = run.mesh("dp") * run.mesh("ep");
    const double alone = run.result.at("sequential_seconds").get<double>() / run.steps() / items;
    InputSituation input{
        .samples = {items / replicas, "items / (dp x ep)"},
        .sample_seconds = {alone * usual_load, "assumed: two thirds of what computing an item takes on one GPU"},
        .sample_bytes = {picture_bytes, "assumed: a picture of 224 x 224 x 3 numbers of 4 B"},
        .link = {usual_link, "assumed: PCIe 3 x16, as it is reached"},
        .compute = {run.seconds() / run.steps(), "simulated: run / steps"},
        .compute_same_as = run.steps() == 1 ? "/simulated_seconds" : "",
        .settings = settings};
    return as_asked(std::move(input));
}

std::optional<Section> explain_run_input(const ExplainedRun& run) {
    return input_section(input_of(run));
}

std::optional<Section> explain_run_energy(const ExplainedRun& run) {
    const RunLosses losses = losses_of(run);
    const double busy = sim::seconds(losses.ideal + losses.extra_compute);
    const double whole = sim::seconds(losses.whole);
    const double gpu = busy * gpu_watts + (whole - busy) * gpu_watts * idle_share_of_watts;
    const double cpu = whole * cpu_watts;
    Section section{.kind = SectionKind::energy};
    section.said = {
        {"On GPUs of {gpu_watts}, with {cpu_watts} for the processor beside each, the run would take "
         "{joules}; the GPUs would be at work for {busy_share} of it."}};
    section.figures = {
        {"gpu_watts", "a GPU at work", gpu_watts, Unit::watts, "assumed: a scenario's GPU is no product"},
        {"idle_watts", "a GPU that waits", gpu_watts * idle_share_of_watts, Unit::watts, "assumed: a tenth of that"},
        {"cpu_watts", "the processor beside it", cpu_watts, Unit::watts, "assumed"},
        {"busy_share", "of all GPUs' time at work", whole > 0 ? busy / whole : 0, Unit::share,
         "sum of compute_seconds / (ranks x run)"},
        {"gpu_joules", "GPUs", gpu, Unit::joules, "at work x its watts + the rest x waiting watts"},
        {"cpu_joules", "processors", cpu, Unit::joules, "ranks x run x watts"},
        {"joules", "all in the run", gpu + cpu, Unit::joules, "GPUs + processors"},
        {"alone_joules", "on one GPU", sim::seconds(losses.ideal) * (gpu_watts + cpu_watts), Unit::joules,
         "what one GPU alone would take, always at work"},
    };
    return section;
}

}  // namespace sim::explain
