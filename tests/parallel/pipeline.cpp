// The pipeline executor: times to the picosecond, arriving data and memory, on both hosts.
#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/parallel/pipeline_runs.hpp"
#include "tests/parallel/pipeline_shapes.hpp"
#include "tests/support/random.hpp"

using namespace sim;
using namespace sim::replay;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class Pipeline : public OnBothHosts {
protected:
    static Simulation run(const Cluster& cluster, const PipelineShape& shape, std::string_view name,
                          const UnitCosts& costs, const PipelineOptions& options = {}) {
        return simulate_well(ranks(shape.stages, cluster),
                             pipeline_of_all(shape, pipeline_schedule(name).steps, costs, options));
    }
};
INSTANTIATE_TEST_SUITE_P(Hosts, Pipeline, both_hosts(), host_name);

// Every virtual stage appends its number to the data, which records a micro-batch's path through the pipeline. Reports
// the number of steps that receive a wrong path.
void follow_the_way(GPU& gpu, const Group& stages, const PipelineShape& shape, PipelineSchedule schedule) {
    int wrong = 0;
    const int stage = stages.index_of(gpu.rank());
    const int last = shape.both_ways ? shape.stages - 1 : shape.stages * shape.chunks - 1;
    const auto way = [&](bool backward) {
        return [&, backward](const PipelineStep& step, std::vector<double> data) {
            const int here = part_of(shape, stage, step.chunk);
            std::vector<double> expected;
            for (int at = backward ? last : 0; at != here; at += backward ? -1 : 1) {
                expected.push_back(1000.0 * step.micro_batch + at);
            }
            wrong += data == expected ? 0 : 1;
            gpu.compute(Units(1 + step.micro_batch % 3));
            data.push_back(1000.0 * step.micro_batch + here);
            return data;
        };
    };
    run_pipeline(gpu, stages, shape, schedule(shape, stage),
                 {.forward = way(false), .backward = way(true), .backward_weight = [](const PipelineStep&) {}},
                 {.boundary = Units(3)});
    gpu.report("wrong", wrong);
}

}  // namespace

TEST_P(Pipeline, OnAFreeNetworkTakesMPlusPMinusOneForwardsAndBackwards) {
    for (const auto* name : {"gpipe", "1f1b"}) {
        for_every_shape(pipeline_schedule(name), [&](const PipelineShape& shape) {
            const Simulation s = run(free_network(), shape, name, {.forward = 3, .backward = 5});
            ASSERT_EQ(s.end(), (shape.micro_batches + shape.stages - 1) * 800ms)
                << name << " " << shape.stages << " " << shape.micro_batches;
        });
    }
}

TEST_P(Pipeline, OfChunksOnAFreeNetworkDividesItsIdleTimeByTheirNumber) {
    for_every_shape(pipeline_schedule("interleaved"), [&](const PipelineShape& shape) {
        const int v = shape.chunks;  // 12 and 24 units of a whole stage
        const Simulation s = run(free_network(), shape, "interleaved", {.forward = 12 / v, .backward = 24 / v});
        ASSERT_EQ(s.end(), shape.micro_batches * 3600ms + (shape.stages - 1) * 3600ms / v)
            << shape.stages << " " << shape.micro_batches << " " << v;
    });
}

TEST_P(Pipeline, OfZeroBubbleOnAFreeNetworkIsIdleForAThirdOfOneForwardOneBackward) {
    for_every_shape(pipeline_schedule("zb_h1"), [&](const PipelineShape& shape) {
        const int p = shape.stages;
        const int m = shape.micro_batches;
        const Simulation s =
            run(free_network(), shape, "zb_h1", {.forward = 2, .backward_input = 2, .backward_weight = 2});
        ASSERT_EQ(s.end(), (m >= p ? 3 * m + p - 1 : 2 * p + 2 * m - 1) * 200ms) << p << " " << m;
    });
}

TEST_P(Pipeline, FromBothEndsOnAFreeNetworkIsIdleForTwoForwardsOfHalfItsOtherStages) {
    const NamedPipelineSchedule& dualpipe = pipeline_schedule("dualpipe");
    for_every_shape(dualpipe, [&](const PipelineShape& shape) {
        const Simulation s = run(free_network(), shape, "dualpipe",
                                 {.forward = 2, .backward = 4, .backward_input = 2, .backward_weight = 2});
        ASSERT_EQ(s.end(), (3 * shape.micro_batches + shape.stages - 2) * 200ms)
            << shape.stages << " " << shape.micro_batches;
    });
}

TEST_P(Pipeline, OfGPipeOnGpuPyEqualsItsClosedForm) {
    const Cluster cluster = gpu_py();
    for (const int p : {1, 2, 3, 5}) {
        for (const int m : {1, 2, 7}) {
            for (const int boundary : {0, 20, 300}) {  // hidden by compute; not hidden
                const Simulation s =
                    run(cluster, {p, m, 1}, "gpipe", {.forward = 10, .backward = 20}, {.boundary = Units(boundary)});
                const Duration f = 1s;
                const Duration b = 2s;
                const Duration c = 50ms + boundary * 10ms;
                const Duration a = 50ms;
                EXPECT_EQ(s.end(), p == 1 ? m * (f + b)
                                          : f + b + (p - 1) * (2 * c + 2 * a + f + b) +
                                                (m - 1) * (std::max(f + a, c) + std::max(b + a, c)))
                    << p << " " << m << " " << boundary;
            }
        }
    }
}

TEST_P(Pipeline, OfOneForwardOneBackwardOnGpuPyTakesItsClosedForm) {
    // 4 stages, 9 micro-batches: (9 + 3)(1 + 2) s, plus 3 round trips of 2 x 3 hops of 0.25 + 0.05 s.
    const Simulation s = run(gpu_py(), {4, 9, 1}, "1f1b", {.forward = 10, .backward = 20}, {.boundary = Units(20)});
    EXPECT_EQ(s.end(), 36s + 3 * 6 * 300ms);
    EXPECT_EQ(s.end(), 41400ms);
}

TEST_P(Pipeline, EndsOnEveryRankWhenTheRecurrenceSays) {
    Random random(7);
    for (int round = 0; round < 40; ++round) {
        for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
            const int p = schedule.both_ways ? 2 + 2 * random.below(3) : 1 + random.below(5);
            const int groups = 1 + random.below(3);
            const int micro_batches = schedule.both_ways     ? 2 * (p + random.below(5))
                                      : schedule.uses_chunks ? p * groups
                                                             : p + random.below(9);
            const PipelineShape shape =
                schedule.shape(p, micro_batches, schedule.uses_chunks ? 1 + random.below(3) : 1);
            const UnitCosts costs{1 + random.below(9), 1 + random.below(9), 1 + random.below(9), random.below(9)};
            const PipelineOptions options{.boundary = Units(random.below(150)), .blocking_sends = random.below(3) == 0};
            const Simulation s = run(gpu_py(), shape, schedule.name, costs, options);
            const FreeRun expected =
                run_free(shape, steps_of_all(shape, schedule.steps), priced(gpu_py(), costs, options));
            for (int stage = 0; stage < p; ++stage) {
                const auto index = static_cast<std::size_t>(stage);
                ASSERT_EQ(s.result.ranks[index].end.time_since_epoch(), expected.stages[index].end)
                    << schedule.name << ", stage " << stage << " of " << p << ", round " << round;
                ASSERT_EQ(s.result.ranks[index].compute, expected.stages[index].busy);
            }
        }
    }
}

TEST_P(Pipeline, BringsEveryMicroBatchThroughAllVirtualStagesAndBack) {
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        for (const int p : {1, 2, 4}) {
            const PipelineShape shape = schedule.shape(p, 8, schedule.uses_chunks ? 3 : 1);
            if (!schedule.can_run(shape)) {
                continue;  // a bidirectional schedule needs two stages
            }
            const Simulation s =
                simulate_well(ranks(p), [&](GPU& gpu) { follow_the_way(gpu, world(gpu), shape, schedule.steps); });
            for (int rank = 0; rank < p; ++rank) {
                EXPECT_EQ(s.result.reports.at("wrong").at(rank)[0], 0) << schedule.name << " " << p;
            }
        }
    }
}

TEST_P(Pipeline, RunsOnAnyGroupInItsOrderBesideOthers) {
    const Simulation s = simulate_well(ranks(4), [&](GPU& gpu) {
        const Group mine = gpu.rank() % 2 == 0 ? Group::of({2, 0}) : Group::of({1, 3});
        follow_the_way(gpu, mine, {2, 6, 1}, pipeline_schedule("1f1b").steps);
    });
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(s.result.reports.at("wrong").at(rank)[0], 0);
    }
}

TEST_P(Pipeline, OfAProgramsOwnScheduleRunsWithoutARegistration) {
    const PipelineSchedule last_in_first_out = [](const PipelineShape& shape, int) {
        std::vector<PipelineStep> steps;
        for (int i = 0; i < shape.micro_batches; ++i) {
            steps.push_back({PipelineWork::forward, i});
        }
        for (int i = shape.micro_batches - 1; i >= 0; --i) {
            steps.push_back({PipelineWork::backward, i});
        }
        return steps;
    };
    const Simulation s = simulate_well(ranks(3), [&](GPU& gpu) {
        follow_the_way(gpu, world(gpu), {3, 5, 1}, last_in_first_out);
    });
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(s.result.reports.at("wrong").at(rank)[0], 0);
    }
}

TEST_P(Pipeline, HoldsAnActivationUntilTheEndOfItsBackward) {
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape = schedule.shape(4, 8, schedule.uses_chunks ? 2 : 1);
        const Simulation s = run(free_network(), shape, schedule.name, {}, {.activations = Bytes{100}});
        for (int stage = 0; stage < 4; ++stage) {
            EXPECT_EQ(s.result.ranks[static_cast<std::size_t>(stage)].peak_bytes,
                      100 * most_in_flight(schedule.steps(shape, stage), PipelineWork::backward_weight))
                << schedule.name << ", stage " << stage;
        }
    }
}

TEST_P(Pipeline, SendsOneMessagePerHopOfTheBoundarysSize) {
    // 4 micro-batches over the 3 boundaries between 2 virtual stages on each of 2 ranks, in both directions.
    const Simulation s = run(gpu_py(), {2, 4, 2}, "interleaved", {}, {.boundary = Units(7)});
    EXPECT_EQ(s.result.messages, 4 * 3 * 2);
    EXPECT_EQ(s.result.ranks[0].billionths_sent + s.result.ranks[1].billionths_sent, Units(7 * 24).billionths());
}

TEST_P(Pipeline, OfARankThatIsNoStageIsRefused) {
    const std::vector<PipelineStep> steps{{PipelineWork::forward, 0}, {PipelineWork::backward, 3}};
    const auto message = [&](int rank_count, const Group& stages, const PipelineShape& shape) {
        const Simulation s = simulate(
            ranks(rank_count), [&](GPU& gpu) { run_pipeline(gpu, stages, shape, steps, [](const PipelineStep&) {}); });
        return s.result.fault->message;
    };
    EXPECT_THAT(message(1, Group::of({1}), {1, 1, 1}),
                testing::HasSubstr("rank 0 runs a pipeline of which it is not a stage"));
    EXPECT_THAT(message(1, Group::of({0}), {2, 1, 1}), testing::HasSubstr("a pipeline of 2 stages runs on 1 ranks"));
    EXPECT_THAT(
        message(1, Group::of({0}), {1, 1 << 30, 1}),
        testing::HasSubstr("a pipeline of 1 stages, 1073741824 micro-batches and 1 chunks has more messages than "
                           "there are tags from 1000000"));
    EXPECT_THAT(
        message(1, Group::of({0}), {1, 1, 1}),
        testing::HasSubstr("stage 0, step 1: backward of micro-batch 3, chunk 0; there are 1 micro-batches and 1 "
                           "chunks, from 0"));
}

TEST(RecordedPipeline, IsTheSameTimelineAsAProgram) {
    const ranks::Program program =
        pipeline_of_all({4, 8, 2}, pipeline_schedule("interleaved").steps, {}, {.boundary = Units(9)});
    const replay::Replay replayed = replay::Recording(4, program).replay();
    const ranks::Result launched = ranks::launch({.ranks = 4, .host = ranks::Host::fiber}, program);
    EXPECT_EQ(replayed.timeline_sha256, launched.timeline_sha256);
    EXPECT_EQ(replayed.end, launched.end);
}
