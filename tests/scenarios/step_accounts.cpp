// Every breakdown of a step's time is the same: in the output, in every trace, on a page, and in the difference of two
// steps.
#include "libsim/explain/explained_step.hpp"
#include "libsim/interop/trace_files/difference.hpp"
#include "libsim/interop/trace_files/read_trace.hpp"
#include "libsim/interop/trace_files/shares.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/predict/step_timeline.hpp"
#include "libsim/report/page/run_data.hpp"
#include "libsim/report/page/sums.hpp"
#include "libsim/report/time_bar.hpp"
#include "libsim/report/trace_formats.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"
#include "tests/scenarios/written_trace.hpp"
#include "tests/support/protobuf_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::predict;
using report::Timeline;
using sim::test::ProtobufFields;
using sim::test::written;
using trace::TimeParts;

struct Accounted {
    std::string name;
    TrainingCase what;
    bool unfold = false;
};

Accounted layout(const char* model, int dp, int tp, int pp, int global_batch, const char* schedule = "1f1b") {
    training::Layout layout{.parallelism = {.dp = dp, .tp = tp, .pp = pp},
                            .batch = {.micro = 1, .global = global_batch}};
    layout.parallelism.schedule = parallel::pipeline_schedule(schedule);
    return {fmt::format("{} dp {} tp {} pp {} {}", model, dp, tp, pp, schedule),
            {.model = training::preset(model), .machine = training::machine("dgx-h100"), .layout = layout}};
}

std::vector<Accounted> layouts() {
    std::vector<Accounted> all{
        layout("llama3-8b", 2, 8, 1, 8),           layout("llama3-8b", 2, 2, 4, 16),
        layout("llama3-70b", 1, 8, 4, 8),          layout("llama3-8b", 1, 2, 4, 16, "interleaved"),
        layout("llama3-8b", 1, 2, 4, 16, "zb_h1"), layout("llama3-8b", 1, 2, 4, 16, "zb_h2"),
        layout("mixtral-8x7b", 8, 1, 1, 16),       layout("mixtral-8x7b", 8, 2, 2, 32, "dualpipe"),
        layout("llama3-8b", 16, 1, 1, 16),         layout("llama3-8b", 1, 1, 1, 2),
        layout("gpt3-6.7b", 4, 2, 2, 16),          layout("llama3-8b", 4, 2, 2, 16),
        layout("llama3-8b", 8, 1, 1, 16)};
    all[3].what.layout.parallelism.interleave = 2;
    for (const std::size_t with_experts : {6UL, 7UL}) {
        all[with_experts].what.layout.parallelism.ep = 8;
    }
    all[8].what.layout.parallelism.zero = 3;
    all[9].what.layout.parallelism.cp = 8;
    all[11].unfold = true;
    all[12].what.layout.parallelism.zero = 1;
    all[12].what.layout.framework.offload_optimizer = true;
    all[12].what.layout.framework.offloaded_layers = 8;
    return all;
}

struct Drawn {
    Prediction step;
    Timeline timeline;
    std::vector<TimeParts> ranks;
};

Drawn drawn(const Accounted& one) {
    Timeline raw;
    const Prediction step = predict_step(one.what.model, one.what.machine, one.what.layout,
                                         {.unfold = one.unfold, .on_span = [&](const Span& span) { raw.add(span); }});
    Drawn result{step, step_timeline(one.what, raw.spans, one.unfold), {}};
    result.ranks = result.timeline.time_of_ranks();
    return result;
}

// Sum over all ranks, in picoseconds.
std::int64_t all_of(const std::vector<TimeParts>& ranks, TimeCategory category) {
    std::int64_t sum = 0;
    for (const TimeParts& rank : ranks) {
        sum += rank[category].count();
    }
    return sum;
}

template <class Check>
void for_each_category(const Check& check) {
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        check(static_cast<TimeCategory>(kind), kind);
    }
}

std::vector<std::vector<std::int64_t>> counts_of(const std::vector<TimeParts>& ranks) {
    std::vector<std::vector<std::int64_t>> counts;
    for (const TimeParts& rank : ranks) {
        std::vector<std::int64_t>& of_rank = counts.emplace_back();
        for (const Duration part : rank.of) {
            of_rank.push_back(part.count());
        }
    }
    return counts;
}

// Sums of the annotations of a Perfetto trace's slices.
std::map<std::string, std::int64_t> annotated(const std::string& bytes) {
    std::map<std::uint64_t, std::string> names;
    std::map<std::string, std::int64_t> sums;
    const ProtobufFields trace(bytes);
    for (const std::string& one : trace.texts(1)) {
        const ProtobufFields packet(one);
        const ProtobufFields interned = packet.has(12) ? packet.message(12) : ProtobufFields("");
        for (const std::string& entry : interned.texts(3)) {
            names[ProtobufFields(entry).number(1)] = ProtobufFields(entry).texts(2).at(0);
        }
        const ProtobufFields event = packet.has(11) ? packet.message(11) : ProtobufFields("");
        for (const std::string& entry : event.texts(4)) {
            const ProtobufFields annotation(entry);
            if (annotation.has(4)) {
                sums[names[annotation.number(1)]] += static_cast<std::int64_t>(annotation.number(4));
            }
        }
    }
    return sums;
}

}  // namespace

TEST(StepAccounts, AreThePrintedBudgetToThePicosecond) {
    for (const Accounted& one : layouts()) {
        const Drawn found = drawn(one);
        const auto ranks = static_cast<double>(found.ranks.size());
        for_each_category([&](TimeCategory category, std::size_t kind) {
            const double printed = found.step.budget[kind] * ranks * 1e12;
            EXPECT_NEAR(printed, static_cast<double>(all_of(found.ranks, category)), 0.5 + 1e-15 * printed)
                << one.name << " " << name_of(category);
        });
        for (const TimeParts& rank : found.ranks) {
            EXPECT_EQ(rank.total(), found.step.step) << one.name;
        }
    }
}

TEST(StepAccounts, AreReadBackFromEveryTrace) {
    const TemporaryFolder folder;
    int number = 0;
    for (const Accounted& one : layouts()) {
        const Drawn found = drawn(one);
        for (const char* const suffix : {".json", ".csv", ".ndjson", "/"}) {
            const std::string file = written(folder, fmt::format("t{}{}", number++, suffix), found.timeline);
            const Timeline read = trace_files::read_trace(file).timeline;
            EXPECT_EQ(counts_of(read.time_of_ranks()), counts_of(found.ranks)) << one.name << suffix;
            const trace_files::TraceShares shares = trace_files::shares_of(read);
            ASSERT_TRUE(shares.has_account);
            EXPECT_NEAR(shares.step, seconds(found.step.step), 1e-12);
            for_each_category([&](TimeCategory category, std::size_t kind) {
                EXPECT_NEAR(shares.account[kind], found.step.budget[kind], 1e-12)
                    << one.name << suffix << " " << name_of(category);
            });
        }
    }
}

TEST(StepAccounts, AreAnnotatedInPerfettosTraces) {
    for (const Accounted& one : layouts()) {
        const Drawn found = drawn(one);
        std::ostringstream out;
        report::write_perfetto_trace(out, found.timeline);
        std::map<std::string, std::int64_t> sums = annotated(out.str());
        for_each_category([&](TimeCategory category, std::size_t) {
            EXPECT_EQ(sums[fmt::format("spent_{}_ps", name_of(category))], all_of(found.ranks, category))
                << one.name << " " << name_of(category);
        });
    }
}

TEST(StepAccounts, AreWhatAPageHolds) {
    for (const Accounted& one : layouts()) {
        const Drawn found = drawn(one);
        const auto header = nlohmann::json::parse(report::run_data(found.timeline, 5'000'000).header);
        std::map<std::string, std::vector<std::string>> held;
        for (const auto& category : header.at("account")) {
            held[category.at("name")] = category.at("ranks").get<std::vector<std::string>>();
        }
        for_each_category([&](TimeCategory category, std::size_t) {
            if (all_of(found.ranks, category) == 0) {
                EXPECT_FALSE(held.contains(name_of(category))) << one.name;
                return;
            }
            for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
                EXPECT_EQ(held.at(name_of(category)).at(rank), std::to_string(found.ranks[rank][category].count()))
                    << one.name << " " << name_of(category);
            }
        });
    }
}

// The collectives drawn inside a pass are as long as in the breakdown.
TEST(StepAccounts, OfCollectivesInsidePassesAreDrawnAsLong) {
    for (const Accounted& one : layouts()) {
        if (one.what.layout.parallelism.schedule->steps_overlap) {
            continue;  // the breakdown covers only the last step
        }
        const Drawn found = drawn(one);
        std::vector<Duration> inside(found.ranks.size());
        for (const Span& span : found.timeline.spans) {
            inside[static_cast<std::size_t>(span.rank)] +=
                found.timeline.counts(span) ? Duration{0} : span.end - span.begin;
        }
        for (std::size_t rank = 0; rank < inside.size(); ++rank) {
            const TimeParts& parts = found.ranks[rank];
            EXPECT_EQ(inside[rank],
                      parts[TimeCategory::tensor] + parts[TimeCategory::context] + parts[TimeCategory::expert])
                << one.name;
        }
    }
}

// In a profiler's trace, computing excludes all communication.
TEST(StepAccounts, LeaveToComputingWhatIsNoCommunication) {
    const TemporaryFolder folder;
    int number = 0;
    for (const Accounted& one : layouts()) {
        if (one.what.layout.parallelism.schedule->steps_overlap) {
            continue;
        }
        const Drawn found = drawn(one);
        for (const char* const suffix : {".json", "/"}) {
            const std::string file = written(folder, fmt::format("u{}{}", number++, suffix), found.timeline);
            const trace_files::TraceShares shares = trace_files::shares_of(trace_files::read_trace(file).timeline);
            for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
                const TimeParts& parts = found.ranks[rank];
                const Duration computing = parts[TimeCategory::compute] + parts[TimeCategory::recompute] +
                                           parts[TimeCategory::overhead] + parts[TimeCategory::optimizer];
                // The all-reduce of the norm belongs to the optimizer, and is not computing.
                const double norm = seconds(parts[TimeCategory::optimizer]);
                EXPECT_LE(shares.of_rank[rank].compute, seconds(computing) + 1e-12) << one.name << suffix;
                EXPECT_GE(shares.of_rank[rank].compute, seconds(computing) - norm) << one.name << suffix;
            }
        }
    }
}

TEST(StepAccounts, OfTwoStepsDifferAsTheirBudgets) {
    const std::vector<Accounted> all = layouts();
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 8}, {1, 3}, {6, 7}}) {
        const Drawn first = drawn(all[a]);
        const Drawn second = drawn(all[b]);
        const trace_files::TraceDifference found =
            trace_files::difference_of(trace_files::diff_side("a", trace_files::shares_of(first.timeline), 0),
                                       trace_files::diff_side("b", trace_files::shares_of(second.timeline), 0));
        EXPECT_NEAR(found.whole.by(), seconds(second.step.step) - seconds(first.step.step), 1e-12);
        std::array<double, time_parts> parts{};
        ASSERT_EQ(found.categories.size(), time_categories);
        for_each_category([&](TimeCategory category, std::size_t kind) {
            const double by = second.step.budget[kind] - first.step.budget[kind];
            EXPECT_NEAR(found.categories[kind].by(), by, 2e-12) << name_of(category);
            parts[static_cast<std::size_t>(part_of(category))] += by;
        });
        for (std::size_t part = 0; part < time_parts; ++part) {
            EXPECT_EQ(found.parts[part].name, title_of(static_cast<TimePart>(part)));
            EXPECT_NEAR(found.parts[part].by(), parts[part], 1e-11);
        }
    }
}

// Tensor parallelism over 8 GPUs takes more than a seventh of the step, in every breakdown.
TEST(StepAccounts, CallTensorParallelismNoComputing) {
    const Drawn found = drawn(layout("llama3-8b", 8, 8, 1, 512));
    const double step = seconds(found.step.step);
    const auto tensor = static_cast<std::size_t>(TimeCategory::tensor);
    EXPECT_GT(found.step.budget[tensor] / step, 1.0 / 7);
    const report::LabelSum passes =
        report::sums_by_label(found.timeline).at({OpKind::compute, "forward", Measure::units});
    const report::LabelSum inside =
        report::sums_by_label(found.timeline).at({OpKind::collective, title_of(TimeCategory::tensor), Measure::bytes});
    EXPECT_EQ(passes.count, 64);
    EXPECT_EQ(inside.time, found.ranks.front()[TimeCategory::tensor]);
    EXPECT_EQ(report::totals_of(found.timeline).front().communication,
              found.ranks.front()[TimeCategory::tensor] + found.ranks.front()[TimeCategory::data]);
    EXPECT_THAT(explain::text_of(explain::time_by_category(report::mean_time(found.timeline)), explain::Level::brief),
                testing::HasSubstr("tensor-parallel communication"));
}
