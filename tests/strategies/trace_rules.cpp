// Every trace obeys the rules of its readers, and is read back unchanged: all scenarios, layouts and streams.
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/text.hpp"
#include "libsim/predict/predict.hpp"
#include "tests/scenarios/written_trace.hpp"
#include "tests/strategies/layouts.hpp"
#include "tests/strategies/strategy_run.hpp"
#include "tests/support/chrome_rules.hpp"
#include "tests/support/kineto_rules.hpp"
#include "tests/support/perfetto_rules.hpp"
#include "tests/support/training_steps.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::test {
namespace {

using testing::IsEmpty;

report::Timeline timeline_of(const std::string& line, const Cluster& cluster) {
    const scenarios::Options options = options_of(line);
    report::Timeline timeline{.title = line, .ranks = options.ranks};
    const ranks::LaunchOptions launch{
        .ranks = options.ranks, .host = ranks::Host::fiber, .cluster = cluster, .on_span = [&](const Span& span) {
            timeline.add(span);
        }};
    const ranks::Result result = ranks::launch(launch, [&](GPU& gpu) { lesson::train(gpu, options); });
    EXPECT_TRUE(result.ok()) << line;
    timeline.end = result.end;
    return timeline;
}

report::Timeline predicted(const training::Layout& layout) {
    report::Timeline timeline;
    const predict::Prediction step =
        predict::predict_step(small_gpt(), plain_machine(), layout,
                              {.unfold = true, .on_span = [&](const Span& span) { timeline.add(span); }});
    timeline.ranks = step.simulated_ranks;
    return timeline;
}

// Long and short messages on two CPUs; some arrive before their receive.
report::Timeline scheduled(goal::Charge charge) {
    const std::string text =
        "num_ranks 3\n"
        "rank 0 {\ns: send 5000b to 1 tag 1\nc: calc 700\nd: calc 900 cpu 1\nt: send 64b to 2\nc requires s\nt "
        "requires d\n}\n"
        "rank 1 {\na: calc 40000\nr: recv 5000b from 0 tag 1\nr requires a\nq: recv 70b from 2 cpu 1\n}\n"
        "rank 2 {\nr: recv 64b from 0\ns: send 70b to 1 cpu 1\ns requires r\nu: send 3b to 0\n}\n";
    report::Timeline timeline{.ranks = 3, .stream_names = {"cpu 1"}};
    LogGP costs = goal::loggopsim_costs();
    costs.eager_limit = Bytes{1000};
    const goal::GoalOutcome outcome =
        goal::run(goal::parse(text, "x"), costs, charge, [&](const Span& span) { timeline.add(span); });
    EXPECT_TRUE(outcome.finished());
    return timeline;
}

// Checks every format: the rules of its readers, and the same spans when read back.
void expect_good_traces(const report::Timeline& timeline, const std::string& what) {
    const TemporaryFolder folder;
    EXPECT_THAT(ChromeRules().broken_in(content_of(written(folder, "t.json", timeline))), IsEmpty()) << what;
    PerfettoRules perfetto;
    EXPECT_THAT(perfetto.broken_in(content_of(written(folder, "t.pftrace", timeline))), IsEmpty()) << what;
    const auto drawn = std::count_if(timeline.spans.begin(), timeline.spans.end(), [](const Span& span) {
        return span.kind != OpKind::allocate && span.kind != OpKind::log;
    });
    EXPECT_EQ(perfetto.slices, static_cast<std::size_t>(drawn)) << what;
    const std::string ranks = written(folder, "ranks/", timeline);
    for (int rank = 0; rank < timeline.ranks; ++rank) {
        const std::string text = plain_text_of(fmt::format("{}rank_{}.json.gz", ranks, rank));
        EXPECT_THAT(KinetoRules().broken_in(text, rank), IsEmpty()) << what;
    }
    const std::vector<std::string> lines = lines_of(timeline);
    for (const char* name : {"t.json", "packed.json.gz", "t.csv", "t.ndjson", "again/"}) {
        const trace_files::ReadTrace read = trace_files::read_trace(written(folder, name, timeline));
        EXPECT_FALSE(read.profiled);
        EXPECT_EQ(lines_of(read.timeline), lines) << what << " as " << name;
    }
}

TEST(TraceRules, HoldForEveryScenario) {
    for (const char* line :
         {"0d_sequential", "1d_data_parallel --ranks 3", "1d_data_parallel --overlap --buckets 4",
          "1d_data_parallel --zero 3 --overlap --ranks 2", "2d_tensor_parallel --tp 4",
          "3d_pipeline_parallel --pp 4 --schedule zb_h1 --layers 4", "4d_hybrid --dp 2 --tp 2 --pp 2 --ep 2"}) {
        expect_good_traces(timeline_of(line, gpu_py()), line);
    }
}

TEST(TraceRules, HoldForManyLayouts) {
    const std::vector<MeshSizes> meshes = all_meshes();
    for (std::size_t i = 0; i < meshes.size(); i += 23) {
        const std::string line = layout_line(meshes[i], i);
        expect_good_traces(timeline_of(line, gpu_py()), line);
    }
}

TEST(TraceRules, HoldWhereMessagesTakeNoTime) {
    for (const char* line :
         {"1d_data_parallel --ranks 4", "1d_data_parallel --overlap --buckets 4", "4d_hybrid --dp 2 --pp 2"}) {
        expect_good_traces(timeline_of(line, free_messages()), line);
    }
}

TEST(TraceRules, HoldForSchedulesUnderLogGP) {
    expect_good_traces(scheduled(goal::Charge::arrival), "a schedule, charged on arrival");
    expect_good_traces(scheduled(goal::Charge::match), "a schedule, charged on match");
}

TEST(TraceRules, HoldForPredictedStepsWithTheirStreams) {
    for (const training::Layout& layout :
         {training::Layout{.parallelism = {.dp = 2, .tp = 2, .pp = 2}, .batch = {.micro = 1, .global = 8}},
          training::Layout{.parallelism = {.dp = 4, .zero = 3}, .batch = {.micro = 1, .global = 8}}}) {
        expect_good_traces(predicted(layout), "a predicted step");
    }
}

}  // namespace
}  // namespace sim::test
