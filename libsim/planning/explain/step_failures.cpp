// What happens to a training step when a part of it is killed.
#include "libsim/planning/explain/failure_section.hpp"
#include "libsim/planning/explain/step_sections.hpp"

namespace sim::planning {

std::optional<Section> explain_failures(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    Section section{.kind = SectionKind::failures};
    section.said = {
        {"All GPUs work in step, so that one that is gone stops them all: they go on from the last "
         "checkpoint, and the work since then is lost."}};
    add_failures(section, {.input = best_pipeline(input_of(explained)),
                           .gpus = what.gpus(),
                           .gpus_per_node = what.machine.gpus_per_node,
                           .checkpoint_seconds = explained.settings.checkpoint_seconds});
    section.notes = {{"With one checkpoint each {checkpoint_seconds}, a failure of these GPUs each {between_seconds} "
                      "costs {lost_gpu_seconds} of GPU time on average, and what the restart takes."},
                     {"A scenario's process is really killed: ndsim explain 1d_data_parallel shows who waits for it."}};
    return section;
}

}  // namespace sim::planning
