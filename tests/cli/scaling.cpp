// The same training on several numbers of ranks, in one run of the executable.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json scaling(const std::string& line) {
    const Said said = run_command(line + " --json --host fiber");
    EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
    EXPECT_EQ(said.err, "") << line;
    return said.exit_code == 0 ? said.json()["scaling"] : json::array();
}

std::vector<double> all(const json& sizes, const char* key) {
    std::vector<double> values;
    for (const json& size : sizes) {
        values.push_back(size.at(key).get<double>());
    }
    return values;
}

TEST(Scaling, OfDataParallelHasTheTimesOfItsClosedForm) {
    const json sizes = scaling("1d_data_parallel --scaling 1,2,4,8,16");
    // 16/n items of 2 s, then 2 (n-1) steps of 0.1 s + 5/n s
    EXPECT_EQ(all(sizes, "simulated_seconds"), (std::vector<double>{32, 21.2, 16.1, 14.15, 14.375}));
    EXPECT_EQ(all(sizes, "speedup"), (std::vector<double>{1, 32 / 21.2, 32 / 16.1, 32 / 14.15, 32 / 14.375}));
    EXPECT_EQ(all(sizes, "ranks"), (std::vector<double>{1, 2, 4, 8, 16}));
    EXPECT_EQ(sizes[2]["items_per_second"], 16 / 16.1);
    EXPECT_EQ(sizes[0]["lost_to"], json::array());
    EXPECT_EQ(sizes[2]["lost_to"], json{"messages"});
}

TEST(Scaling, IsARunOfItsOwnForEachSize) {
    const json sizes = scaling("1d_data_parallel --scaling 2:8:2 --steps 2");
    const json alone = run_command("1d_data_parallel --ranks 4 --steps 2 --json --quiet").json();
    EXPECT_EQ(sizes[1]["timeline_sha256"], alone["timeline_sha256"]);
    EXPECT_EQ(sizes[1]["weights_sha256"], alone["weights_sha256"]);
}

TEST(Scaling, ListsASizeThatCannotBe) {
    const json sizes = scaling("2d_tensor_parallel --scaling 2,3,4");
    EXPECT_EQ(sizes[1]["possible"], false);
    EXPECT_EQ(sizes[1]["axis_size"], 3);
    EXPECT_THAT(sizes[1]["why"].get<std::string>(), HasSubstr("4 heads"));
    EXPECT_EQ(sizes[2]["possible"], true);
    EXPECT_EQ(sizes[2]["simulated_seconds"], 238.4);
}

TEST(Scaling, OfTheHybridSizesItsDataParallelAxis) {
    const json sizes = scaling("4d_hybrid --scaling 1,2");
    EXPECT_EQ(all(sizes, "ranks"), (std::vector<double>{8, 16}));
    EXPECT_EQ(sizes[1]["mesh"]["dp"], 2);
}

TEST(Scaling, OfAPipelineNamesTheBubble) {
    const json sizes = scaling("3d_pipeline_parallel --scaling 4 --activation-units 0 --micro-batches 4");
    EXPECT_EQ(sizes[0]["lost_to"][0], "bubble");
}

TEST(Scaling, ShowsATableAndACurve) {
    const Said said = run_command("1d_data_parallel --scaling 1,2,4");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.err, "");  // the log lines of several runs would be read as one story
    EXPECT_THAT(said.out, HasSubstr("16.100 s     0.9938    1.99x      49.7 %"));
    EXPECT_THAT(said.out, HasSubstr("lost to messages\n"));
    EXPECT_THAT(said.out, HasSubstr("speedup (*) against the ideal (o), over ranks\n        4 |               .o\n"));
}

TEST(Scaling, DrawsTheSpeedupBesideTheIdealOne) {
    const TemporaryFolder folder;
    const std::string picture = folder.file("curve.svg");
    EXPECT_EQ(scaling("1d_data_parallel --scaling 1,2,4 --svg '" + picture + "'").size(), 3);
    EXPECT_THAT(content_of(picture), HasSubstr("speedup with each size of dp"));
    EXPECT_THAT(content_of(picture), HasSubstr(">ideal</text>"));
    EXPECT_THAT(content_of(picture), HasSubstr(">reached</text>"));
}

TEST(Scaling, ComesFromAFileToo) {
    const TemporaryFolder folder;
    const std::string config = folder.with("c.toml", "scaling = [1, 2]\n");
    EXPECT_EQ(scaling("1d_data_parallel --config '" + config + "'").size(), 2);
}

TEST(Scaling, RefusesWhatCannotBe) {
    EXPECT_EQ(refusal("1d_data_parallel --scaling 1,2 --ranks 4"),
              "1d_data_parallel: --scaling and --ranks exclude each other: both say how many ranks there are");
    EXPECT_EQ(refusal("1d_data_parallel --scaling 1,2 --trace t.json"),
              "1d_data_parallel: --scaling and --trace exclude each other: there is more than one run");
    EXPECT_EQ(refusal("1d_data_parallel --scaling 0"),
              "1d_data_parallel: --scaling must be a list like 1,2,4 or 1:16:2 of whole numbers from 1 to 100000, "
              "not \"0\"");
    EXPECT_THAT(refusal("2d_tensor_parallel --scaling 3,5"), HasSubstr("none of these sizes is possible"));
    EXPECT_THAT(refusal("0d_sequential --scaling 1,2"), HasSubstr("unknown option --scaling"));
}

}  // namespace
