#include "libsim/goodput/alternatives.hpp"
#include "libsim/goodput/study.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::goodput;
using namespace std::chrono_literals;
using sim::faults::Part;
using testing::HasSubstr;

LongJob job_of_nodes(double mean_hours) {
    LongJob job{.gpus = 800,
                .gpus_per_node = 8,
                .replicas = 10,
                .rates = {},
                .checkpoints = {.every = 20min, .blocks = 30s},
                .detection = 5min,
                .restart = 5min,
                .span = 30 * 24h};
    job.rates[Part::node] = {.count = 100, .mean_hours = mean_hours};
    return job;
}

TEST(Studies, SayOfEveryOptionAndFigureWhereItIsFrom) {
    EXPECT_GE(study_names().size(), 11U);
    for (const std::string& name : study_names()) {
        const Study study = read_study(name);
        EXPECT_FALSE(study.options.empty()) << name;
        EXPECT_FALSE(study.published.empty()) << name;
        EXPECT_THAT(study.source, HasSubstr("arXiv:")) << name;
        for (const StudyOption& option : study.options) {
            EXPECT_GT(option.why.size(), 5U) << name << " " << option.option;
        }
        for (const PublishedFigure& figure : study.published) {
            EXPECT_LT(figure.low, figure.high) << name;
            EXPECT_FALSE(figure.source.empty()) << name;
        }
    }
}

TEST(Studies, AreKnownByTheirNearestName) {
    try {
        read_study("llama3-405");
        FAIL();
    } catch (const sim::config::UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean llama3-405b?"));
    }
    try {
        read_study("nosuch");
        FAIL();
    } catch (const sim::config::UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("there is no study \"nosuch\"; there are alibaba-c4-after, "));
    }
}

TEST(Studies, OfAFileTellTheLineThatIsWrong) {
    const TemporaryFolder folder;
    const std::string file = folder.with("s.toml",
                                         "title = \"t\"\nsource = \"s\"\n[[given]]\noption = \"gpus\"\nvalue = 4\n"
                                         "from = \"guessed\"\nwhy = \"w\"\n");
    try {
        read_study(file);
        FAIL();
    } catch (const sim::config::UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("s.toml:6: "));
        EXPECT_THAT(error.what(), HasSubstr("assumed"));
    }
}

TEST(StudyFigures, AreThoseOfTheRuns) {
    const LongJob job = job_of_nodes(2400);
    const JobSample sample = sample_of(job, {.runs = 400});
    const auto value = [&](StudyFigure figure) { return value_of(figure, job, sample); };
    EXPECT_DOUBLE_EQ(value(StudyFigure::mtbf_hours), 24);
    EXPECT_DOUBLE_EQ(value(StudyFigure::failures_per_node_days), 10);
    EXPECT_NEAR(value(StudyFigure::interruptions), 30, 1);
    EXPECT_NEAR(value(StudyFigure::minutes_lost), 10, 0.5);  // half an interval
    EXPECT_NEAR(value(StudyFigure::minutes_down), 20, 0.5);
    EXPECT_DOUBLE_EQ(
        value(StudyFigure::down_share),
        value(StudyFigure::lost_share) + value(StudyFigure::detection_share) + value(StudyFigure::restart_share));
}

TEST(Intervals, FindTheOptimumOfTheory) {
    // Checkpoints of 30 s, failures every 24 h: Young's optimum is 37.9 minutes. The runs agree up to the step size, an
    // eighth of a doubling; the exact formula is flat there.
    const std::vector<IntervalRow> rows = interval_rows(job_of_nodes(2400), 1s, {.runs = 400});
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[1].every, 2277s);
    EXPECT_NEAR(sim::faults::seconds_of(rows[3].every), 2277, 400);
    for (const IntervalRow& row : rows) {
        EXPECT_NEAR(row.share, *row.expected, 0.001) << name_of(row.choice);
        EXPECT_LE(row.share, rows[3].share);
    }
}

TEST(Intervals, AreWholeSteps) {
    EXPECT_EQ(whole_steps(95s, 10s), 100s);
    EXPECT_EQ(whole_steps(94s, 10s), 90s);
    EXPECT_EQ(whole_steps(1s, 10s), 10s);
}

TEST(Policies, AreBetterWithSparesAndBestWhereReplicasGoOn) {
    LongJob job = job_of_nodes(2400);
    job.repair = 12h;
    const std::vector<PolicyRow> rows = policy_rows(job, {.runs = 200});
    ASSERT_EQ(rows.size(), 5U);
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_GT(rows[i].share.mean, rows[i - 1].share.mean);
    }
    EXPECT_GT(rows[3].share.mean, rows[1].share.mean);
    EXPECT_EQ(rows[0].finished, 0);  // 30 failures per run
    EXPECT_EQ(rows[2].spares, 1);
    EXPECT_NEAR(rows[2].of_all_gpus, rows[2].share.mean * 800 / 808, 1e-9);
}

TEST(Sensitivities, LeaveOutWhatIsNot) {
    LongJob job = job_of_nodes(2400);
    job.detection = 0s;
    for (const SensitivityRow& row : sensitivity_rows(job, 1s, {.runs = 50})) {
        EXPECT_STRNE(row.key, "detection");
        EXPECT_STRNE(row.key, "repair");
        if (row.key == std::string("mtbf")) {
            EXPECT_LT(row.half, row.twice);
        }
    }
}

}  // namespace
