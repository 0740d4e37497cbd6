// 3D: pipeline parallel. The layers are cut into stages, one for each rank; micro-batches flow through them and back.
//
// A stage waits for the previous one (forward) and for the next one (backward). At the beginning and at the end some
// stages have no work: the bubble, which on a network without costs takes (pp-1) / (micro-batches + pp-1) of the time
// with GPipe and 1F1B, less with chunks (interleaved) or split backward passes (zb_h1).
//
//   time of a step, free network = (micro-batches + pp - 1) x time of one micro-batch on one stage
//                                       = (4 + 3) x 2 s = 14 s with the defaults, on 4 ranks
//
// 1F1B runs a backward pass as soon as it can, so a stage keeps at most pp - stage micro-batches, while GPipe keeps all
// of them. --show-schedule draws the schedule of every stage.
#include "scenarios/options/scenario.hpp"

int main(int argc, char** argv) {
    const sim::scenarios::Scenario scenario{
        .name = "3d_pipeline_parallel",
        .summary = "3D: trains the model of 0D with its layers cut into stages on several simulated GPUs.",
        .axes = {{"pp", 4}, {"dp", 1}, {"tp", 1}},
        .examples = {"3d_pipeline_parallel --quiet                                   # 4 stages, 1F1B",
                     "3d_pipeline_parallel --show-schedule --micro-batches 8         # what each stage does when",
                     "3d_pipeline_parallel --schedule gpipe --micro-batches 16       # more micro-batches, less bubble",
                     "3d_pipeline_parallel --ranks 2 --schedule interleaved --quiet  # 2 chunks on each of 2 stages",
                     "3d_pipeline_parallel --ranks 2 --micro-batches 1 --quiet       # a model split over 2 GPUs"},
    };
    return sim::scenarios::run(scenario, argc, argv);
}
