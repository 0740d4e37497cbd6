// The facts in a schedule's row, checked against its steps.
#include "libsim/parallel/pipeline/run_free.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "tests/parallel/pipeline_shapes.hpp"

#include <gtest/gtest.h>

using namespace sim;
using namespace sim::test;

namespace {

using namespace std::chrono_literals;

FreeRun run(const NamedPipelineSchedule& schedule, const PipelineShape& shape, const PipelineCosts& costs) {
    return run_free(shape, steps_of_all(shape, schedule.steps), costs);
}

// The schedules that have this formula.
template <class Formula>
std::vector<NamedPipelineSchedule> with(Formula NamedPipelineSchedule::*formula) {
    std::vector<NamedPipelineSchedule> known;
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        if (schedule.*formula != nullptr) {
            known.push_back(schedule);
        }
    }
    return known;
}

// Costs of one chunk.
constexpr PipelineCosts costs{.forward = 60ns, .backward = 150ns, .backward_input = 90ns, .backward_weight = 60ns};

}  // namespace

TEST(PipelineFacts, KeepInFlightWhatTheStepsDo) {
    for (const NamedPipelineSchedule& schedule : with(&NamedPipelineSchedule::in_flight)) {
        for_every_shape(schedule, [&](const PipelineShape& shape) {
            for (int stage = 0; stage < shape.stages; ++stage) {
                EXPECT_EQ(schedule.in_flight(shape, stage).activations,
                          most_in_flight(schedule.steps(shape, stage), PipelineWork::backward_input))
                    << schedule.name << " of " << shape.stages << ", " << shape.micro_batches << ", " << shape.chunks;
            }
        });
    }
}

TEST(PipelineFacts, CountTheVisitsOfEveryChunk) {
    const NamedPipelineSchedule& schedule = pipeline_schedule("interleaved");
    for_every_shape(schedule, [&](const PipelineShape& shape) {
        std::vector<int> visits(static_cast<std::size_t>(shape.chunks));
        int count = 0;
        for (const PipelineStep& step : schedule.steps(shape, 0)) {
            if (step.work == PipelineWork::forward) {
                ++visits[static_cast<std::size_t>(step.chunk)];
                ++count;
                for (int chunk = 0; chunk < shape.chunks; ++chunk) {
                    EXPECT_EQ(schedule.visits(shape, count, chunk), visits[static_cast<std::size_t>(chunk)]);
                }
            }
        }
    });
}

// With free messages and equal stages, no stage finishes earlier than its row's bound.
TEST(PipelineFacts, BoundThePassesOfEveryStageFromBelow) {
    for (const NamedPipelineSchedule& schedule : with(&NamedPipelineSchedule::least_passes)) {
        for_every_shape(schedule, [&](const PipelineShape& shape) {
            const FreeRun free = run(schedule, shape, costs);
            const Duration all = shape.chunks * (costs.forward + costs.backward_input + costs.backward_weight);
            for (int stage = 0; stage < shape.stages; ++stage) {
                const StagePasses passes{.forward = shape.chunks * costs.forward,
                                         .input = shape.chunks * costs.backward_input,
                                         .weight = shape.chunks * costs.backward_weight,
                                         .beyond = (shape.stages - stage - 1) * all};
                const bool overlap = schedule.steps_overlap && shape.micro_batches < 2 * shape.stages - 1;
                if (!overlap) {  // too few micro-batches to fill the pipeline: the next step fills it
                    EXPECT_LE(schedule.least_passes(shape, stage, passes), free.end)
                        << schedule.name << " of " << shape.stages << ", " << shape.micro_batches;
                }
            }
        });
    }
}

TEST(PipelineFacts, HaveTheBubbleOfEvenStages) {
    constexpr PipelineCosts even{.forward = 60ns, .backward = 120ns, .backward_input = 60ns, .backward_weight = 60ns};
    for (const NamedPipelineSchedule& schedule : with(&NamedPipelineSchedule::bubble)) {
        for_every_shape(schedule, [&](const PipelineShape& shape) {
            const double bubble = schedule.bubble(shape).share;
            if (bubble > 0 && shape.micro_batches >= shape.stages) {
                EXPECT_NEAR(run(schedule, shape, even).bubble(), bubble, 1e-12)
                    << schedule.name << " of " << shape.stages << ", " << shape.micro_batches << ", " << shape.chunks;
            }
        });
    }
}

TEST(PipelineFacts, HaveTheBubbleOfThePapers) {
    EXPECT_DOUBLE_EQ(pipeline_schedule("1f1b").bubble({4, 12, 1}).share, 3.0 / 15);
    EXPECT_DOUBLE_EQ(pipeline_schedule("interleaved").bubble({4, 12, 2}).share, 3.0 / 27);
    EXPECT_DOUBLE_EQ(pipeline_schedule("zb_h1").bubble({4, 12, 1}).share, 3.0 / 39);
    EXPECT_EQ(pipeline_schedule("zb_h2").bubble({4, 12, 1}).share, 0);
    EXPECT_DOUBLE_EQ(pipeline_schedule("dualpipe").bubble({4, 12, 2, true}).share, 2.0 / 38);
}

// (p / 2 - 1)(F&B + B - 3 W), where a pair takes as long as its two passes: F&B = F + B.
TEST(PipelineFacts, HaveTheIdleTimeOfDualPipesReport) {
    const NamedPipelineSchedule& dualpipe = pipeline_schedule("dualpipe");
    constexpr PipelineCosts even{.forward = 60ns, .backward = 100ns, .backward_input = 60ns, .backward_weight = 40ns};
    for_every_shape(dualpipe, [&](const PipelineShape& shape) {
        const Duration idle = (shape.stages / 2 - 1) * (160ns + 100ns - 3 * 40ns);
        for (const FreeRun::Stage& stage : run(dualpipe, shape, even).stages) {
            EXPECT_EQ(stage.idle, idle) << shape.stages << ", " << shape.micro_batches;
        }
    });
}

TEST(PipelineFacts, NameOneUsualScheduleForOneChunkAndOneForSeveral) {
    EXPECT_EQ(usual_pipeline_schedule().name, "1f1b");
    EXPECT_EQ(usual_pipeline_schedule(3).name, "interleaved");
    EXPECT_EQ(KnownSchedule(), KnownSchedule(pipeline_schedule("1f1b")));
    EXPECT_NE(KnownSchedule(), KnownSchedule(pipeline_schedule("gpipe")));
}
