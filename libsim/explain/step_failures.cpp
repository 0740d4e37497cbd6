// The effect of killing a part of a training step.
#include "libsim/explain/failure_section.hpp"
#include "libsim/explain/step_sections.hpp"
#include "libsim/replay/recording.hpp"

#include <algorithm>

namespace sim::explain {

using namespace predict;

namespace {

// Larger runs take too long, because every rank is simulated.
constexpr int most_simulated = 64;

// A GPU's process that dies in the middle of a step, and the reaction of the others.
struct KilledGpu {
    int rank = 0;
    double died = 0;
    std::int64_t waiting = 0;
    double first = 0;  // when the first of them begins to wait forever
    double last = 0;   // when the last of them does
};

KilledGpu killed_gpu(const TrainingCase& what, const Prediction& step) {
    KilledGpu killed{.rank = what.gpus() / 2};
    const auto kill = [&](const replay::Recording& program, const Cluster& cluster) {
        const auto run = program.replay(
            {.cluster = cluster,
             .hash_timeline = false,
             .faults = {faults::KillRank{.rank = killed.rank, .at = Time{Duration{step.step.count() / 2}}}}});
        killed.died = seconds(run.ranks[static_cast<std::size_t>(killed.rank)].end);
        killed.waiting = static_cast<std::int64_t>(run.waiting.size());
        killed.first = seconds(run.end);
        for (const kernel::WrongOp& one : run.waiting) {
            killed.first = std::min(killed.first, seconds(one.since));
            killed.last = std::max(killed.last, seconds(one.since));
        }
    };
    predict_step(what.model, what.machine, what.layout, {.unfold = true, .details = false, .on_program = kill});
    return killed;
}

void add_killed_gpu(Section& section, const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    if (what.gpus() == 1 || what.gpus() > most_simulated) {
        return;
    }
    const KilledGpu killed = killed_gpu(what, explained.report->step);
    section.figures.insert(
        section.figures.end(),
        {{"killed_rank", "GPU whose process is killed", std::int64_t{killed.rank}, Unit::count, "the middle one"},
         {"died_seconds", "it dies at", killed.died, Unit::seconds,
          "of the step, simulated: when the operation ended that was under way in its middle"},
         {"waiting", "others that can never go on", killed.waiting, Unit::count, "simulated, every rank"},
         {"first_seconds", "the first waits from", killed.first, Unit::seconds, "simulated"},
         {"standstill_seconds", "all of them wait from", killed.last, Unit::seconds, "simulated"}});
    section.said.push_back(
        {"If the process of GPU {killed_rank} is killed {died_seconds} into a step, the first of the others waits for "
         "it from {first_seconds} on, and from {standstill_seconds} on all {waiting} do, until something ends them."});
}

}  // namespace

std::optional<Section> explain_failures(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    Section section{.kind = SectionKind::failures};
    section.said = {
        {"All GPUs work in step, so that one that is gone stops them all: they go on from the last "
         "checkpoint, and the work since then is lost."}};
    add_killed_gpu(section, explained);
    add_failures(section, {.input = best_pipeline(input_of(explained)),
                           .gpus = what.gpus(),
                           .gpus_per_node = what.machine.gpus_per_node,
                           .checkpoint_seconds = explained.settings.checkpoint_seconds,
                           .collectives = what.machine.gpu.collectives});
    section.notes = {
        {"With one checkpoint each {checkpoint_seconds}, a failure of these GPUs each {between_seconds} "
         "costs {lost_gpu_seconds} of GPU time on average, and what the restart takes."},
        {"A scenario's process is really killed: ndsim explain 1d_data_parallel shows who waits for it."},
        {"What weeks of failures leave of the training, and how often to take a checkpoint: ndsim goodput."}};
    return section;
}

}  // namespace sim::explain
