// Schedules as lists of steps: their order, the activations they keep, and the errors in invalid ones.
#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/blocking_sends.hpp"
#include "libsim/parallel/pipeline/check_schedule.hpp"
#include "libsim/parallel/pipeline/picture.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tests/parallel/pipeline_shapes.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace sim;
using namespace sim::test;

namespace {

PipelineSteps steps(std::string_view name, const PipelineShape& shape) {
    return steps_of_all(shape, pipeline_schedule(name).steps);
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "no error";
}

std::string check_error(const PipelineShape& shape, const PipelineSteps& steps) {
    return error_of([&] { check_schedule(shape, steps); });
}

constexpr PipelineStep forward_of(int micro_batch) {
    return {PipelineWork::forward, micro_batch};
}
constexpr PipelineStep backward_of(int micro_batch) {
    return {PipelineWork::backward, micro_batch};
}

}  // namespace

TEST(PipelineSchedules, DoEveryMicroBatchOnceAndNeverWaitForEver) {
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        for_every_shape(schedule, [&](const PipelineShape& shape) {
            EXPECT_NO_THROW(check_schedule(shape, steps_of_all(shape, schedule.steps)))
                << schedule.name << " of " << shape.stages << ", " << shape.micro_batches << ", " << shape.chunks;
        });
    }
}

TEST(PipelineSchedules, SayWhetherTheyCanRunWithoutThrowing) {
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        for (const PipelineShape& shape : {PipelineShape{2, 4, 1},
                                           {2, 5, 1},
                                           {2, 4, 2},
                                           {3, 4, 2},
                                           {4, 2, 3},
                                           {2, 4, 2, true},
                                           {2, 5, 2, true},
                                           {3, 8, 2, true},
                                           {4, 6, 2, true},
                                           {2, 4, 4, true}}) {
            EXPECT_EQ(schedule.can_run(shape), test::can_run(schedule, shape)) << schedule.name;
        }
    }
}

TEST(PipelineSchedules, SplitBackwardIfAndOnlyIfTheySaySo) {
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        const std::vector<PipelineStep> steps = schedule.steps(schedule.shape(2, 6), 1);
        const auto has = [&](PipelineWork work) {
            return std::any_of(steps.begin(), steps.end(), [&](const PipelineStep& step) { return step.work == work; });
        };
        EXPECT_EQ(has(PipelineWork::backward_input), schedule.splits_backward) << schedule.name;
        EXPECT_EQ(has(PipelineWork::backward), schedule.whole_backward) << schedule.name;
    }
}

TEST(PipelineSchedules, RunInTheOrderOfTheirPapers) {
    EXPECT_EQ(list_schedule({2, 3, 1}, steps("gpipe", {2, 3, 1})),
              "stage 0: F0 F1 F2 B0 B1 B2\n"
              "stage 1: F0 F1 F2 B0 B1 B2\n");
    EXPECT_EQ(list_schedule({4, 5, 1}, steps("1f1b", {4, 5, 1})),
              "stage 0: F0 F1 F2 F3 B0 F4 B1 B2 B3 B4\n"
              "stage 1: F0 F1 F2 B0 F3 B1 F4 B2 B3 B4\n"
              "stage 2: F0 F1 B0 F2 B1 F3 B2 F4 B3 B4\n"
              "stage 3: F0 B0 F1 B1 F2 B2 F3 B3 F4 B4\n");
    EXPECT_EQ(list_schedule({2, 4, 2}, steps("interleaved", {2, 4, 2})),
              "stage 0: F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a\n"
              "stage 1: F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a\n");
    EXPECT_EQ(list_schedule({3, 4, 1}, steps("zb_h1", {3, 4, 1})),
              "stage 0: F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3\n"
              "stage 1: F0 F1 B0 F2 B1 W0 F3 B2 W1 B3 W2 W3\n"
              "stage 2: F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3\n");
}

// The figure in DeepSeek's repository, with 8 stages, shows this order; a black frame there marks a pair.
TEST(PipelineSchedules, RunFromBothEndsInTheOrderOfDualPipe) {
    const PipelineShape shape = pipeline_schedule("dualpipe").shape(4, 8);
    EXPECT_EQ(list_schedule(shape, steps("dualpipe", shape)),
              "stage 0: F0a F1a F2a F4b B4b W4b F5b F3a&B5b F6b&B0a B6b F7b&B1a B7b B2a W2a B3a W3a\n"
              "stage 1: F0a F4b F1a F5b F2a B4b F6b&B0a F3a&B5b F7b&B1a B6b B2a B7b B3a W7b W3a\n"
              "stage 2: F4a F0b F5a F1b F6a B0b F2b&B4a F7a&B1b F3b&B5a B2b B6a B3b B7a W3b W7a\n"
              "stage 3: F4a F5a F6a F0b B0b W0b F1b F7a&B1b F2b&B4a B2b F3b&B5a B3b B6a W6a B7a W7a\n");
}

TEST(PipelineSchedules, FromBothEndsHoldTwoPartsInTheOrderOfTheLayers) {
    const PipelineShape shape = pipeline_schedule("dualpipe").shape(4, 8);
    std::vector<int> parts;
    for (int stage = 0; stage < 4; ++stage) {
        parts.insert(parts.end(), {part_of(shape, stage, 0), part_of(shape, stage, 1)});
    }
    EXPECT_EQ(parts, (std::vector<int>{0, 3, 1, 2, 1, 2, 0, 3}));
}

TEST(PipelineSchedules, InterleavedWithOneChunkIsOneForwardOneBackward) {
    EXPECT_EQ(steps("interleaved", {4, 8, 1}), steps("1f1b", {4, 8, 1}));
}

TEST(InFlight, IsAllOfGPipeAndAsManyAsStagesAreBehindOfOneForwardOneBackward) {
    for (int p = 1; p <= 8; ++p) {
        for (int m = 1; m <= 16; ++m) {
            for (int stage = 0; stage < p; ++stage) {
                const PipelineShape shape{p, m, 1};
                EXPECT_EQ(most_in_flight(pipeline_schedule("gpipe").steps(shape, stage)), m);
                EXPECT_EQ(most_in_flight(pipeline_schedule("1f1b").steps(shape, stage)), std::min(p - stage, m));
            }
        }
    }
}

TEST(InFlight, OfZeroBubbleIsThatOfOneForwardOneBackwardAndOfItsFirstStageUntilTheWeights) {
    for (int p = 1; p <= 8; ++p) {
        for (int m = 1; m <= 16; ++m) {
            for (int stage = 0; stage < p; ++stage) {
                const std::vector<PipelineStep> steps = pipeline_schedule("zb_h1").steps({p, m, 1}, stage);
                EXPECT_EQ(most_in_flight(steps), std::min(p - stage, m));
                EXPECT_EQ(most_in_flight(steps, PipelineWork::backward_weight), std::min(p, m));
            }
        }
    }
}

TEST(InFlight, FromBothEndsIsOneMoreThanStages) {
    const NamedPipelineSchedule& dualpipe = pipeline_schedule("dualpipe");
    for (int p = 2; p <= 16; p += 2) {
        for (int m = 2 * p; m <= 4 * p; m += 2) {
            for (int stage = 0; stage < p; ++stage) {
                const std::vector<PipelineStep> steps = dualpipe.steps(dualpipe.shape(p, m), stage);
                EXPECT_EQ(most_in_flight(steps), p + 1);
                EXPECT_EQ(most_in_flight(steps, PipelineWork::backward_weight), p + 1);
            }
        }
    }
}

TEST(InFlight, OfInterleavedIsOneMoreThanMegatronsWarmUp) {
    for (int p = 1; p <= 8; ++p) {
        for (int v = 2; v <= 4; ++v) {
            for (int m = p; m <= 16; ++m) {
                const int group = interleaved_group({p, m, v});
                for (int stage = 0; stage < p; ++stage) {
                    const int warm_up = (p - stage - 1) * 2 + (v - 1) * group;
                    EXPECT_EQ(most_in_flight(pipeline_schedule("interleaved").steps({p, m, v}, stage)),
                              std::min(warm_up + 1, m * v));
                }
            }
        }
    }
}

// Groups leave no remainder, or one that fills the pipeline: 5 + 5 instead of 4 + 4 + 2; 6 + 5 instead of 4 + 4 + 3.
TEST(PipelineSchedules, InterleaveTheSmallestGroupsOfWhichNoneIsShorterThanThePipeline) {
    EXPECT_EQ(interleaved_group({4, 8, 2}), 4);
    EXPECT_EQ(interleaved_group({4, 6, 2}), 6);
    EXPECT_EQ(interleaved_group({4, 10, 2}), 5);
    EXPECT_EQ(interleaved_group({4, 11, 2}), 6);
    EXPECT_EQ(interleaved_group({2, 7, 2}), 4);
    EXPECT_EQ(list_schedule({2, 3, 2}, steps("interleaved", {2, 3, 2})),
              "stage 0: F0a F1a F2a F0b F1b F2b B0b B1b B2b B0a B1a B2a\n"
              "stage 1: F0a F1a F2a F0b B0b F1b B1b F2b B2b B0a B1a B2a\n");
}

TEST(PipelineSchedules, AreFoundByNameAndTheNearestIsNamed) {
    EXPECT_EQ(pipeline_schedule("1f1b").name, "1f1b");
    EXPECT_EQ(error_of([] { pipeline_schedule("1b1f"); }),
              "there is no pipeline schedule \"1b1f\"; did you mean 1f1b?");
    std::vector<std::string_view> known;
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        known.push_back(schedule.name);
    }
    EXPECT_EQ(error_of([] { pipeline_schedule("something"); }),
              fmt::format("there is no pipeline schedule \"something\"; known: {}", fmt::join(known, ", ")));
}

TEST(PipelineSchedules, SayWhichShapesWouldFit) {
    const auto error = [](std::string_view name, const PipelineShape& shape) {
        return error_of([&] { pipeline_schedule(name).check(shape); });
    };
    EXPECT_EQ(error("interleaved", {4, 3, 2}),
              "interleaved needs as many micro-batches as stages: 3 over 4; 4 would fit");
    EXPECT_EQ(error("interleaved", {4, 6, 2}), "no error");
    EXPECT_EQ(error("interleaved", {4, 8, 2}), "no error");
    EXPECT_EQ(error("1f1b", {4, 8, 2}), "1f1b must have one chunk per stage, not 2; interleaved takes more");
    EXPECT_EQ(error("gpipe", {0, 8, 1}), "a pipeline needs 1 or more stages, not 0");
    EXPECT_EQ(error("gpipe", {1, 0, 1}), "a pipeline needs 1 or more micro-batches, not 0");
    EXPECT_EQ(error("gpipe", {1, 1, -1}), "a pipeline needs 1 or more chunks per stage, not -1");
    EXPECT_EQ(error_of([] { steps("interleaved", {4, 3, 2}); }), error("interleaved", {4, 3, 2}));
    EXPECT_EQ(error_of([] {
                  steps("gpipe", {2, 0, 1});
              }),
              "a pipeline has 1 or more stages, micro-batches and chunks: not 2, 0 and 1");
}

TEST(PipelineSchedules, FromBothEndsSayWhichShapesWouldFit) {
    const auto error = [](int stages, int micro_batches, int chunks = 1) {
        const NamedPipelineSchedule& dualpipe = pipeline_schedule("dualpipe");
        return error_of([&] { dualpipe.check(dualpipe.shape(stages, micro_batches, chunks)); });
    };
    EXPECT_EQ(error(4, 8), "no error");
    EXPECT_EQ(error(3, 8), "dualpipe needs an even number of stages, not 3; 2 or 4 would fit");
    EXPECT_EQ(error(1, 8), "dualpipe needs an even number of stages, not 1; 2 would fit");
    EXPECT_EQ(error(4, 6),
              "dualpipe needs an even number of micro-batches, at least twice the stages: 6 over 4; 8 would fit");
    EXPECT_EQ(error(4, 9),
              "dualpipe needs an even number of micro-batches, at least twice the stages: 9 over 4; 10 would fit");
    EXPECT_EQ(error(4, 8, 2), "dualpipe must have one chunk per stage and way, not 2; interleaved takes more");
    EXPECT_EQ(error_of([] {
                  pipeline_schedule("dualpipe").check({4, 8, 1});
              }),
              "dualpipe lets micro-batches enter at both ends, and this shape at one end");
}

TEST(CheckSchedule, NamesAHalfOfAPairAndAMicroBatchOfTheOtherWay) {
    const PipelineShape shape{1, 2, 1};
    PipelineStep half = forward_of(0);
    half.pair = InPair::first;
    EXPECT_EQ(check_error(shape, {{half, forward_of(1), backward_of(0), backward_of(1)}}),
              "step 0 is the first of a pair, which is a forward pass and a backward pass in a row");
    EXPECT_EQ(check_error({2, 4, 2, true}, {{{PipelineWork::forward, 3, 0}}, {}}),
              "stage 0, step 0: micro-batch 3 of a forward does not go through chunk 0, but through 1");
}

TEST(CheckSchedule, NamesTheFirstStepThatIsWrong) {
    const PipelineShape shape{1, 2, 1};
    EXPECT_EQ(check_error({2, 1, 1}, {{}}), "2 stages have 1 lists of steps");
    EXPECT_EQ(check_error(shape, {{forward_of(0), forward_of(2)}}),
              "stage 0, step 1: micro-batch 2 of a forward; there are 2, from 0");
    EXPECT_EQ(check_error(shape, {{{PipelineWork::backward, 0, 1}}}),
              "stage 0, step 0: chunk 1 of a backward; there are 1, from 0");
    EXPECT_EQ(check_error(shape, {{forward_of(0), forward_of(1), forward_of(0)}}),
              "stage 0, step 2: forward of micro-batch 0; step 0 did the forward of it already");
    EXPECT_EQ(check_error(shape, {{forward_of(0), backward_of(0), {PipelineWork::backward_weight, 0}}}),
              "stage 0, step 2: weight gradient of micro-batch 0; step 1 did the backward of it already");
    EXPECT_EQ(check_error(shape, {{forward_of(0), {PipelineWork::backward_input, 0}, backward_of(0)}}),
              "stage 0, step 2: backward of micro-batch 0; step 1 did the input gradient of it already");
    EXPECT_EQ(check_error(shape, {{forward_of(0), backward_of(0), forward_of(1)}}),
              "stage 0 never does the backward of micro-batch 1");
    EXPECT_EQ(check_error(shape, {{forward_of(0), {PipelineWork::backward_input, 0}}}),
              "stage 0 never does the weight gradient of micro-batch 0");
    EXPECT_EQ(check_error({1, 1, 2}, {{forward_of(0), backward_of(0)}}),
              "stage 0 never does the forward of micro-batch 0, chunk 1");
    EXPECT_EQ(check_error({1, 1, 1}, {{backward_of(0), forward_of(0)}}),
              "stage 0, step 0: backward of micro-batch 0 comes before its forward, step 1");
    EXPECT_EQ(check_error({1, 1, 1},
                          {{forward_of(0), {PipelineWork::backward_weight, 0}, {PipelineWork::backward_input, 0}}}),
              "stage 0, step 1: weight gradient of micro-batch 0 comes before its input gradient, step 2");
}

TEST(CheckSchedule, NamesTheStagesThatWaitForEachOther) {
    // Stage 0 needs the gradient of 0 before it makes the activation of 1; stage 1 needs that activation first.
    EXPECT_EQ(check_error({2, 2, 1}, {{forward_of(0), backward_of(0), forward_of(1), backward_of(1)},
                                      {forward_of(0), forward_of(1), backward_of(0), backward_of(1)}}),
              "these stages wait for each other for ever:\n"
              "  stage 0, step 1: backward of micro-batch 0 waits for the backward of stage 1, step 2\n"
              "  stage 1, step 1: forward of micro-batch 1 waits for the forward of stage 0, step 2");
}

TEST(CheckSchedule, NamesAStageThatWaitsForItself) {
    EXPECT_EQ(check_error({1, 1, 2}, {{{PipelineWork::forward, 0, 1},
                                       {PipelineWork::forward, 0, 0},
                                       {PipelineWork::backward, 0, 1},
                                       {PipelineWork::backward, 0, 0}}}),
              "these stages wait for each other for ever:\n"
              "  stage 0, step 0: forward of micro-batch 0, chunk 1 waits for the forward of stage 0, step 1");
}

TEST(BlockingSends, LetGPipeRunAndOneForwardOneBackwardDeadlock) {
    for (int p = 1; p <= 6; ++p) {
        for (int m = 1; m <= 12; ++m) {
            const PipelineShape shape{p, m, 1};
            EXPECT_EQ(blocking_sends_deadlock(shape, steps("gpipe", shape)), std::nullopt);
            for (const auto* name : {"1f1b", "zb_h1"}) {
                EXPECT_EQ(blocking_sends_deadlock(shape, steps(name, shape)).has_value(), p > 1 && m > 1) << name;
            }
        }
    }
}

TEST(BlockingSends, AreExplainedAsTheCycleOfStages) {
    EXPECT_EQ(blocking_sends_deadlock({2, 4, 1}, steps("1f1b", {2, 4, 1})),
              "these stages wait for each other for ever:\n"
              "  stage 0, step 1: sends the activation of micro-batch 1 to stage 1\n"
              "  stage 1, step 1: sends the gradient of micro-batch 0 to stage 0");
    EXPECT_EQ(blocking_sends_deadlock({2, 2, 2}, steps("interleaved", {2, 2, 2})),
              "these stages wait for each other for ever:\n"
              "  stage 0, step 1: sends the activation of micro-batch 1 for chunk 0 to stage 1\n"
              "  stage 1, step 0: sends the activation of micro-batch 0 for chunk 1 to stage 0");
    EXPECT_EQ(blocking_sends_deadlock({1, 2, 2}, steps("interleaved", {1, 2, 2})), std::nullopt);
}
