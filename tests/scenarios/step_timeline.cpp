// The timeline of a predicted step: its slices in addition to the run's spans.
#include "libsim/predict/step_timeline.hpp"

#include "libsim/predict/predict.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace {

using namespace sim;
using namespace sim::predict;
using report::Timeline;
using training::Layout;

struct Drawn {
    Prediction step;
    Timeline timeline;
};

TrainingCase case_of(const char* model, const Layout& layout) {
    return {.model = training::preset(model), .machine = training::machine("dgx-h100"), .layout = layout};
}

Drawn drawn(const TrainingCase& what, bool unfold = false) {
    Timeline raw;
    const Prediction step = predict_step(what.model, what.machine, what.layout,
                                         {.unfold = unfold, .on_span = [&](const Span& span) { raw.add(span); }});
    return {step, step_timeline(what, raw.spans, unfold)};
}

Layout layout(int dp, int tp, int pp, int global_batch) {
    return {.parallelism = {.dp = dp, .tp = tp, .pp = pp}, .batch = {.micro = 1, .global = global_batch}};
}

std::map<std::string, int> slices(const Timeline& timeline, int rank) {
    std::map<std::string, int> count;
    for (const Span& span : timeline.spans) {
        count[*span.label] += span.rank == rank && span.kind == OpKind::compute ? 1 : 0;
    }
    return count;
}

double seconds_inside_passes(const Timeline& timeline, int rank) {
    Duration sum{0};
    for (const Span& span : timeline.spans) {
        if (span.rank == rank && span.stream == stream_within_passes) {
            sum += span.end - span.begin;
        }
    }
    return seconds(sum);
}

}  // namespace

TEST(StepTimeline, NamesTheRanksThatOneStandsFor) {
    const Timeline folded = drawn(case_of("llama3-8b", layout(4, 2, 2, 16))).timeline;
    EXPECT_EQ(folded.rank_names, (std::vector<std::string>{"Stage 0, ranks 0-7", "Stage 1, ranks 8-15"}));
    const Timeline whole = drawn(case_of("llama3-8b", layout(2, 2, 2, 8)), true).timeline;
    EXPECT_EQ(whole.ranks, 8);
    EXPECT_EQ(whole.name_of(5), "Rank 5, stage 1");
    EXPECT_EQ(drawn(case_of("llama3.2-1b", layout(1, 1, 1, 2))).timeline.name_of(0), "Rank 0");
}

TEST(StepTimeline, NamesMicroBatchAndChunkOfEveryPass) {
    TrainingCase what = case_of("llama3-8b", layout(1, 1, 4, 8));
    what.layout.parallelism.interleave = 2;
    what.layout.parallelism.schedule = parallel::pipeline_schedule("interleaved");
    const Timeline timeline = drawn(what).timeline;
    for (int rank = 0; rank < 4; ++rank) {
        const auto found = slices(timeline, rank);
        for (int micro_batch = 0; micro_batch < 8; ++micro_batch) {
            for (int chunk = 0; chunk < 2; ++chunk) {
                for (const char* const way : {"forward", "backward"}) {
                    const std::string label = fmt::format("{} of micro-batch {}, chunk {}", way, micro_batch, chunk);
                    EXPECT_EQ(found.at(label), 1) << rank << " " << label;
                }
            }
        }
    }
}

// 32 layers on stages 0, 2 and 3: stage 1 forwards its input, and computes nothing.
TEST(StepTimeline, LeavesOutThePassesOfStagesWithoutLayers) {
    TrainingCase what = case_of("llama3-8b", layout(1, 1, 4, 8));
    what.layout.parallelism.split.layers = {10, 0, 12, 10};
    const Timeline timeline = drawn(what).timeline;
    for (const int rank : {0, 2, 3}) {
        EXPECT_EQ(slices(timeline, rank).at("forward of micro-batch 7"), 1) << rank;
        EXPECT_EQ(slices(timeline, rank).at("backward of micro-batch 7"), 1) << rank;
    }
    EXPECT_EQ(slices(timeline, 1)["forward of micro-batch 7"], 0);
    TrainingCase chunks = case_of("llama3-8b", layout(1, 1, 2, 4));
    chunks.layout.parallelism.interleave = 2;
    chunks.layout.parallelism.schedule = parallel::pipeline_schedule("interleaved");
    chunks.layout.parallelism.split.layers = {16, 0, 0, 16};
    const auto found = slices(drawn(chunks).timeline, 1);
    EXPECT_EQ(found.at("forward of micro-batch 3, chunk 0"), 0);  // rank 0 has its layers
    EXPECT_EQ(found.at("forward of micro-batch 3, chunk 1"), 1);
}

// For any layers, schedule and buckets, the drawn collectives add up to the budget.
TEST(StepTimeline, ShowsAllExposedCollectivesInsidePasses) {
    std::vector<TrainingCase> cases{
        case_of("llama3-8b", layout(1, 2, 2, 8)), case_of("gpt3-175b", layout(1, 8, 8, 16)),
        case_of("llama3-8b", layout(1, 4, 1, 2)), case_of("mixtral-8x7b", layout(8, 1, 1, 8)),
        case_of("llama3-8b", layout(1, 4, 2, 8)), case_of("mixtral-8x7b", layout(2, 4, 2, 8))};
    cases[3].layout.parallelism.ep = 8;
    cases[4].layout.parallelism.schedule = parallel::pipeline_schedule("zb_h1");
    cases[4].layout.batch.global = 8;
    cases[5].layout.parallelism.ep = 8;
    cases[5].layout.parallelism.sequence_parallel = true;
    cases[5].model.mtp_layers = 1;
    for (TrainingCase& what : cases) {
        what.layout.framework.overlap_gradients = false;  // so no pass is slower than its kernels
        const Drawn result = drawn(what);
        const int steps = what.layout.parallelism.schedule->steps_overlap ? 2 : 1;
        for (int stage = 0; stage < what.layout.parallelism.pp; ++stage) {
            const Budget& budget = result.step.stage_budgets[static_cast<std::size_t>(stage)];
            const double exposed = budget[static_cast<std::size_t>(TimeCategory::tensor)] +
                                   budget[static_cast<std::size_t>(TimeCategory::context)] +
                                   budget[static_cast<std::size_t>(TimeCategory::expert)];
            EXPECT_GT(exposed, 0) << what.model.name;
            EXPECT_NEAR(seconds_inside_passes(result.timeline, stage) / steps, exposed, 1e-6 * exposed)
                << what.model.name << " stage " << stage;
        }
    }
}

TEST(StepTimeline, CountsTheMemoryThatIsHeld) {
    const Drawn result = drawn(case_of("llama3-8b", layout(2, 2, 2, 16)));
    for (int stage = 0; stage < 2; ++stage) {
        std::int64_t most = 0;
        for (const Span& span : result.timeline.spans) {
            most = span.rank == stage && span.kind == OpKind::allocate ? std::max(most, span.amount) : most;
        }
        EXPECT_EQ(most, result.step.memory.stages[static_cast<std::size_t>(stage)].peak.total());
    }
}

TEST(StepTimeline, DrawsMessagesAsLongAsTheyTravel) {
    const Timeline timeline = drawn(case_of("llama3-8b", layout(1, 2, 2, 8))).timeline;
    std::map<std::uint64_t, Span> sent;
    int received = 0;
    for (const Span& span : timeline.spans) {
        if (span.kind == OpKind::send) {
            sent[span.message] = span;
        }
    }
    for (const Span& span : timeline.spans) {
        if (span.kind == OpKind::receive) {
            ++received;
            EXPECT_LE(span.begin, sent.at(span.message).begin);
            EXPECT_EQ(span.end, sent.at(span.message).end);
            EXPECT_GT(span.end - span.begin, Duration{0});
        }
    }
    EXPECT_EQ(received, 16);  // forward and backward of eight micro-batches
}
