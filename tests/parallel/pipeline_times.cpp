// Closed forms of pipeline schedules, against the recurrence of run_free, and their drawings.
#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/picture.hpp"
#include "libsim/parallel/pipeline/run_free.hpp"
#include "tests/parallel/pipeline_shapes.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

using namespace sim;
using namespace sim::test;

namespace {

constexpr Duration ps{1};

FreeRun run(std::string_view name, const PipelineShape& shape, const PipelineCosts& costs) {
    return run_free(shape, steps_of_all(shape, pipeline_schedule(name).steps), costs);
}

struct Chosen {
    PipelineShape shape;
    Duration f, b, c, a;
    PipelineCosts costs() const { return {.forward = f, .backward = b, .transfer = c, .acknowledgement = a}; }
    Duration compute() const { return (shape.micro_batches + shape.stages - 1) * (f + b); }
};

Chosen choose(Random& random) {
    return {.shape = {1 + random.below(8), 1 + random.below(24), 1},
            .f = (1 + random.below(100)) * ps,
            .b = (1 + random.below(100)) * ps,
            .c = random.below(120) * ps,
            .a = random.below(50) * ps};
}

std::ostream& operator<<(std::ostream& out, const Chosen& x) {
    return out << "p " << x.shape.stages << ", m " << x.shape.micro_batches << ", F " << x.f.count() << ", B "
               << x.b.count() << ", c " << x.c.count() << ", A " << x.a.count();
}

}  // namespace

TEST(FreePipeline, IsMPlusPMinusOneTimesForwardAndBackwardForGPipeAndOneForwardOneBackward) {
    for (int p = 1; p <= 8; ++p) {
        for (int m = 1; m <= 16; ++m) {
            for (const auto* name : {"gpipe", "1f1b"}) {
                const FreeRun free = run(name, {p, m, 1}, {.forward = 3 * ps, .backward = 5 * ps});
                EXPECT_EQ(free.end, (m + p - 1) * 8 * ps) << name << " " << p << " " << m;
                EXPECT_EQ(free.stages[0].idle, (p - 1) * 8 * ps);
                EXPECT_DOUBLE_EQ(free.bubble(), static_cast<double>(p - 1) / (m + p - 1));
            }
        }
    }
}

TEST(FreePipeline, OfChunksDividesTheIdleTimeByTheirNumber) {
    for_every_shape(pipeline_schedule("interleaved"), [](const PipelineShape& shape) {
        // 12 and 24 for a whole stage, split into v chunks.
        const int v = shape.chunks;
        const FreeRun free = run("interleaved", shape, {.forward = 12 * ps / v, .backward = 24 * ps / v});
        EXPECT_EQ(free.end, shape.micro_batches * 36 * ps + (shape.stages - 1) * 36 * ps / v);
    });
}

TEST(FreePipeline, OfZeroBubbleIsIdleForForwardAndInputLessWeights) {
    for (int p = 1; p <= 8; ++p) {
        for (int m = p; m <= 16; ++m) {
            for (const auto& [f, b, w] : {std::tuple{1, 1, 1}, {2, 3, 1}, {4, 3, 3}, {5, 9, 2}}) {
                const FreeRun free =
                    run("zb_h1", {p, m, 1}, {.forward = f * ps, .backward_input = b * ps, .backward_weight = w * ps});
                EXPECT_EQ(free.end, (m * (f + b + w) + (p - 1) * (f + b - w)) * ps) << p << " " << m;
            }
        }
        for (int m = 1; m <= p; ++m) {
            const FreeRun free = run("zb_h1", {p, m, 1}, {.forward = ps, .backward_input = ps, .backward_weight = ps});
            EXPECT_EQ(free.end, (2 * p + 2 * m - 1) * ps) << p << " " << m;
        }
    }
}

// Each stage starts one F after the previous one, and ends one F after it.
TEST(FreePipeline, OfZeroBubbleH2NeverWaitsBetweenAStagesFirstAndLastStep) {
    for (int p = 1; p <= 8; ++p) {
        for (int m = 2 * p - 1; m <= 20; ++m) {
            const FreeRun free = run("zb_h2", {p, m, 1}, {.forward = ps, .backward_input = ps, .backward_weight = ps});
            for (int stage = 0; stage < p; ++stage) {
                const auto at = static_cast<std::size_t>(stage);
                EXPECT_EQ(free.stages[at].busy, 3 * m * ps);
                EXPECT_EQ(free.ends[at].back(), (stage + 3 * m) * ps) << p << " " << m << " " << stage;
            }
        }
    }
}

TEST(PipelineTime, OfGPipeIsItsFirstMicroBatchAndTheSlowestPlaceForTheOthers) {
    Random random(1);
    for (int round = 0; round < 2000; ++round) {
        const Chosen x = choose(random);
        const int p = x.shape.stages;
        const int m = x.shape.micro_batches;
        const Duration expected = p == 1 ? m * (x.f + x.b)
                                         : x.f + x.b + (p - 1) * (2 * x.c + 2 * x.a + x.f + x.b) +
                                               (m - 1) * (std::max(x.f + x.a, x.c) + std::max(x.b + x.a, x.c));
        EXPECT_EQ(run("gpipe", x.shape, x.costs()).end, expected) << x;
    }
}

TEST(PipelineTime, OfGPipeWithBlockingSendsPaysThemAtEveryStage) {
    Random random(2);
    for (int round = 0; round < 2000; ++round) {
        const Chosen x = choose(random);
        const int p = x.shape.stages;
        const int m = x.shape.micro_batches;
        // A stage's work per micro-batch: both ends of hops in the middle, one end at the first and last stage.
        const Duration hops = p == 1 ? 0 * ps : p == 2 ? std::max(x.c, x.a) : x.c + x.a;
        PipelineCosts costs = x.costs();
        costs.blocking_sends = true;
        EXPECT_EQ(run("gpipe", x.shape, costs).end,
                  x.f + x.b + (p - 1) * (2 * x.c + 2 * x.a + x.f + x.b) + (m - 1) * (x.f + x.b + 2 * hops))
            << x;
    }
}

TEST(PipelineTime, OfOneForwardOneBackwardPaysARoundTripOfHopsForEveryPMicroBatches) {
    Random random(3);
    for (int round = 0; round < 2000; ++round) {
        Chosen x = choose(random);
        const int p = x.shape.stages;
        const int rounds = random.below(5);
        x.shape.micro_batches = 1 + p * rounds;
        x.c = std::min({x.c, x.f + x.a, x.b + x.a});
        x.a = p > 2 ? std::min(x.a, 2 * x.c / (p - 2)) : x.a;
        x.c = std::min({x.c, x.f + x.a, x.b + x.a});
        if ((p - 2) * x.a > 2 * x.c) {
            continue;  // the smaller c no longer hides the acknowledgements
        }
        EXPECT_EQ(run("1f1b", x.shape, x.costs()).end, x.compute() + 2 * (p - 1) * (1 + rounds) * (x.c + x.a)) << x;
    }
}

TEST(PipelineTime, OfOneForwardOneBackwardWithoutAcknowledgementsIsClosedForAllMicroBatches) {
    Random random(4);
    for (int round = 0; round < 2000; ++round) {
        Chosen x = choose(random);
        x.a = 0 * ps;
        x.c = std::min({x.c, x.f, x.b});
        const int p = x.shape.stages;
        const int m = x.shape.micro_batches;
        const int hops = p + m - 2 - (m - 1 + p - 1) / p;  // in both directions
        EXPECT_EQ(run("1f1b", x.shape, x.costs()).end, x.compute() + 2 * hops * x.c) << x;
    }
}

TEST(PipelineTime, OfChunksPaysTheHopsOfOneMicroBatchThereAndBack) {
    Random random(5);
    for (int round = 0; round < 2000; ++round) {
        Chosen x = choose(random);
        x.a = 0 * ps;
        x.c = std::min({x.c, x.f, x.b});  // per chunk
        const int p = 2 + random.below(7);
        const int v = 2 + random.below(4);
        const int m = p * (1 + random.below(5));
        x.shape = {p, m, v};
        EXPECT_EQ(run("interleaved", x.shape, x.costs()).end, (v * m + p - 1) * (x.f + x.b) + 2 * (v * p - 1) * x.c)
            << x << ", v " << v;
    }
}

TEST(PipelineTime, CountsComputeAsBusyAndTheRestOfTheRunAsIdle) {
    // Two stages, one micro-batch: F 0-2, hop to 5, A to 6, F to 8, B to 11, hop to 14, A to 15, B to 18.
    const FreeRun free =
        run("1f1b", {2, 1, 1}, {.forward = 2 * ps, .backward = 3 * ps, .transfer = 3 * ps, .acknowledgement = 1 * ps});
    EXPECT_EQ(free.end, 18 * ps);
    EXPECT_EQ(free.ends[0], (std::vector<Duration>{2 * ps, 18 * ps}));
    EXPECT_EQ(free.ends[1], (std::vector<Duration>{8 * ps, 11 * ps}));
    EXPECT_EQ(free.stages[1].end, 14 * ps);
    EXPECT_EQ(free.stages[1].busy, 5 * ps);
    EXPECT_EQ(free.stages[1].idle, 13 * ps);
    EXPECT_DOUBLE_EQ(free.bubble(), 26.0 / 36.0);
}

TEST(Picture, OfOneForwardOneBackwardShowsEveryStepAndTheBubble) {
    EXPECT_EQ(show_schedule({2, 3, 1}, steps_of_all({2, 3, 1}, pipeline_schedule("1f1b").steps)),
              "stage 0  F0 F1 .  .  B0--- F2 B1--- .  B2---\n"
              "stage 1  .  F0 B0--- F1 B1--- F2 B2--- .  .\n"
              "\n"
              "in flight at most: 2 1\n"
              "bubble: 6 of 2 x 12 units of time = 25.0 %\n");
}

TEST(Picture, OfASplitBackwardShowsTheGradientsOfTheWeights) {
    EXPECT_EQ(show_schedule({2, 2, 1}, steps_of_all({2, 2, 1}, pipeline_schedule("zb_h1").steps)),
              "stage 0  F0 F1 .  B0 W0 B1 W1\n"
              "stage 1  .  F0 B0 F1 B1 W0 W1\n"
              "\n"
              "in flight at most: 2 1\n"
              "until the weights' gradient: 2 2\n"
              "bubble: 2 of 2 x 7 units of time = 14.3 %\n");
}

TEST(Picture, ThatIsTooWideGoesOnBelow) {
    EXPECT_EQ(show_schedule({2, 2, 2}, steps_of_all({2, 2, 2}, pipeline_schedule("interleaved").steps), 40),
              "stage 0  F0a F1a F0b F1b .\n"
              "stage 1  .   F0a F1a F0b B0b-\n"
              "\n"
              "stage 0  .   B0b---- .   B1b-\n"
              "stage 1  --- F1b B1b---- B0a-\n"
              "\n"
              "stage 0  --- B0a---- B1a----\n"
              "stage 1  --- B1a---- .   .\n"
              "\n"
              "in flight at most: 4 3\n"
              "bubble: 6 of 2 x 15 units of time = 20.0 %\n");
}
