#include "libsim/explain/input_pipeline.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::explain;
using namespace std::chrono_literals;

// Four workers, each taking 60 ms for a batch that takes 20 ms to compute.
const InputPipeline usual{.load = 60ms, .pin = 1ms, .copy = 2ms, .compute = 20ms, .workers = 4, .copies_beside = true};

InputPipeline with(InputPipeline pipeline, int workers, int prefetch) {
    pipeline.workers = workers;
    pipeline.prefetch = prefetch;
    return pipeline;
}

TEST(InputPipeline, WithoutWorkersTheGpuIsIdleForLoadOfLoadPlusCompute) {
    const InputPipeline alone{.load = 40ms, .compute = 60ms};
    EXPECT_EQ(steady_input(alone).span, Duration(100ms));
    EXPECT_EQ(idle_share(alone, steady_input(alone)), 0.4);
    EXPECT_EQ(closed_form_seconds(alone), 0.1);
}

TEST(InputPipeline, WithoutWorkersACopyCountsAsLoadDoes) {
    const InputPipeline alone{.load = 40ms, .copy = 25ms, .compute = 60ms};
    EXPECT_EQ(steady_input(alone).span, Duration(125ms));
    EXPECT_EQ(run_input(alone, 3).computes[2].end, Time{3 * 125ms});
}

TEST(InputPipeline, WithEnoughWorkersTheGpuNeverWaits) {
    // The first batch is ready after 60 + 1 + 2 ms; from then on 4 workers deliver one every 15 ms, and 20 ms are
    // needed.
    const InputRun run = run_input(usual, 10);
    EXPECT_EQ(run.computes.front().begin, Time{63ms});
    EXPECT_EQ(run.computes.back().end, Time{63ms + 10 * 20ms});
    EXPECT_EQ(idle_share(usual, steady_input(usual)), 0);
}

TEST(InputPipeline, WithTooFewWorkersTheyAreTheLimit) {
    // Two workers deliver a batch every 30 ms: the GPU is idle for a third of the time.
    const SteadyInput steady = steady_input(with(usual, 2, 2));
    EXPECT_EQ(steady.span, steady.batches * Duration(30ms));
    EXPECT_EQ(idle_share(with(usual, 2, 2), steady), 1.0 / 3);
}

TEST(InputPipeline, ACopyThatIsNotBesideTheComputationIsAddedToIt) {
    InputPipeline plain = usual;
    plain.copies_beside = false;
    EXPECT_EQ(steady_input(plain).span, 8 * Duration(22ms));
}

TEST(InputPipeline, ACopyBesideTheComputationIsTheLimitWhereItIsLonger) {
    InputPipeline slow = usual;
    slow.copy = 33ms;
    EXPECT_EQ(steady_input(slow).span, 8 * Duration(33ms));
}

TEST(InputPipeline, AWorkerThatIsAskedForOneBatchAtATimeAlsoWaitsForThePinning) {
    // A batch is requested when the previous one is taken: 60 + 9 ms each.
    InputPipeline one = with(usual, 1, 1);
    one.pin = 9ms;
    EXPECT_EQ(steady_input(one).span, Duration(69ms));
    EXPECT_EQ(steady_input(with(one, 1, 2)).span, 2 * Duration(60ms));
}

TEST(InputPipeline, InTheLongRunIsTheClosedFormForAllSmallCases) {
    for (const int load : {1, 7, 12, 60}) {
        for (const int pin : {0, 5, 13}) {
            for (const int copy : {0, 4, 11}) {
                for (int workers = 0; workers <= 4; ++workers) {
                    for (const int prefetch : {1, 2, 3}) {
                        for (const bool beside : {false, true}) {
                            const InputPipeline one{.load = Duration{load},
                                                    .pin = Duration{workers == 0 ? 0 : pin},
                                                    .copy = Duration{copy},
                                                    .compute = Duration{9},
                                                    .workers = workers,
                                                    .prefetch = prefetch,
                                                    .copies_beside = beside && workers > 0};
                            EXPECT_DOUBLE_EQ(steady_input(one).seconds_each(), closed_form_seconds(one))
                                << load << " " << pin << " " << copy << " " << workers << " " << prefetch << beside;
                        }
                    }
                }
            }
        }
    }
}

TEST(InputPipeline, AWorkerIsAskedForNoMoreThanItsBuffer) {
    // With 100 ms of compute, the 4 x 2 batches are loaded by 120 ms; the ninth is requested when the first is taken,
    // at 61 ms, and worker 0 starts it when its second is done.
    InputPipeline slow = usual;
    slow.compute = 100ms;
    const InputRun run = run_input(slow, 12);
    EXPECT_EQ(run.loads[7].end, Time{120ms});
    EXPECT_EQ(run.taken[0], Time{61ms});
    EXPECT_EQ(run.loads[8].begin, Time{120ms});
    // The tenth is requested with the second, which is copied while the first is computed, from 63 ms.
    EXPECT_EQ(run.loads[9].begin, Time{120ms});
    // The eleventh waits for the third, which is copied from 163 ms.
    EXPECT_EQ(run.loads[10].begin, Time{163ms});
}

TEST(InputPipeline, TheBufferRunsDryAtTheFirstBatchOfALostWorker) {
    // Worker 2 delivers batches 2 and 6; batch 10 never comes. Ten batches are computed, the first after 63 ms.
    const InputRun run = run_input(usual, 100, LostWorker{.worker = 2, .batches = 2});
    EXPECT_EQ(run.computes.size(), 10U);
    ASSERT_TRUE(run.dry);
    EXPECT_EQ(*run.dry, Time{63ms + 10 * 20ms});
    // The others have loaded all requested batches, up to 8 beyond the last one taken.
    EXPECT_EQ(run.loads[17].end > Time{}, true);
    EXPECT_EQ(run.loads[18].end, Time{});
}

TEST(InputPipeline, AWorkerLostBeforeItsFirstBatchStopsAllAtOnce) {
    const InputRun run = run_input(usual, 8, LostWorker{.worker = 0, .batches = 0});
    EXPECT_TRUE(run.computes.empty());
    EXPECT_EQ(run.dry, Time{});
}

TEST(InputPipeline, AWorkerLostAfterItsLastBatchIsNotMissed) {
    EXPECT_EQ(run_input(usual, 8, LostWorker{.worker = 0, .batches = 2}).dry, std::nullopt);
}

}  // namespace
