// ndsim trace: summaries, differences and conversions of files that --trace wrote.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::EndsWith;
using testing::HasSubstr;

// 4 ranks, 8 s of computation and 8.1 s of messages each, without and with overlap.
class TraceCommand : public testing::Test {
protected:
    static std::string traced(const TemporaryFolder& folder, const std::string& name, const std::string& options = "") {
        const std::string file = folder.file(name);
        EXPECT_EQ(run_command("1d_data_parallel --quiet --host fiber " + options + " --trace " + file).exit_code, 0);
        return file;
    }
};

TEST_F(TraceCommand, SumsUpWhereTheTimeWent) {
    const TemporaryFolder folder;
    const nlohmann::json said = run_command("ndsim trace summary --json " + traced(folder, "t.json")).json();
    EXPECT_EQ(said["ranks"], 4);
    EXPECT_NEAR(said["seconds"].get<double>(), 16.1, 1e-9);
    EXPECT_NEAR(said["mean"]["compute_seconds"].get<double>(), 8, 1e-9);
    EXPECT_NEAR(said["per_rank"][3]["exposed_communication_seconds"].get<double>(), 8.1, 1e-9);
    EXPECT_EQ(said["labels"][0]["label"], "all-reduce");
    EXPECT_EQ(said["messages"], 24);
    EXPECT_EQ(said["units_sent"], 3000.0);
}

TEST_F(TraceCommand, SaysWhyTwoDiffer) {
    const TemporaryFolder folder;
    const std::string plain = traced(folder, "plain.json");
    const std::string beside = traced(folder, "beside.csv", "--overlap --buckets 4");
    const Said said = run_command(fmt::format("ndsim trace diff {} {}", plain, beside));
    EXPECT_THAT(said.out, EndsWith(fmt::format("{} takes 13.7 % less time than {}: it has 27.2 % less exposed "
                                               "communication, all of it in \"all-reduce\".\n",
                                               beside, plain)));
    EXPECT_THAT(run_command(fmt::format("ndsim trace diff {} {} --csv -", plain, beside)).out,
                HasSubstr("part,\"exposed communication\",8.1,5.8999999998,-2.2000000002\n"));
}

TEST_F(TraceCommand, ConvertsThereAndBackToTheSameBytes) {
    const TemporaryFolder folder;
    const std::string file = traced(folder, "t.json", "--overlap --buckets 4");
    for (const std::string to : {"t.csv", "t.ndjson", "t.json.gz", "ranks/"}) {
        ASSERT_EQ(run_command(fmt::format("ndsim trace convert {} --to {}", file, folder.file(to))).exit_code, 0) << to;
        const std::string back = folder.file("back.json");
        ASSERT_EQ(run_command(fmt::format("ndsim trace convert {} -o {}", folder.file(to), back)).exit_code, 0) << to;
        EXPECT_EQ(content_of(back), content_of(file)) << to;
    }
}

TEST_F(TraceCommand, IsWrittenInTheFormatOfItsSuffixByEveryProgram) {
    const TemporaryFolder folder;
    EXPECT_EQ(run_command("3d_pipeline_parallel --quiet --trace " + folder.file("ranks/")).exit_code, 0);
    EXPECT_THAT(run_command("ndsim trace summary " + folder.file("ranks")).out, HasSubstr("4 ranks"));
    EXPECT_EQ(
        run_command("ndsim train --model gpt3-6.7b --gpus 8 --tp 8 --trace " + folder.file("t.pftrace")).exit_code, 0);
    EXPECT_THAT(content_of(folder.file("t.pftrace")), HasSubstr("forward"));
    EXPECT_THAT(run_command("1d_data_parallel --help").out, HasSubstr(".pftrace: Perfetto protobuf"));
}

TEST_F(TraceCommand, RefusesWhatItCannotDo) {
    EXPECT_EQ(refusal("1d_data_parallel --trace t.jsn"),
              "1d_data_parallel: t.jsn: no trace is written as .jsn; did you mean .json?; "
              "known: .json .json.gz .pftrace / .csv .ndjson");
    EXPECT_EQ(refusal("ndsim trace diff a.json"), "ndsim trace: diff compares two traces: ndsim trace diff FILE OTHER");
    EXPECT_EQ(refusal("ndsim trace convert a.json"), "ndsim trace: convert needs --to FILE");
    EXPECT_EQ(refusal("ndsim trace summary a.json --to b.json"), "ndsim trace: --to FILE is an option of convert");
    EXPECT_EQ(refusal("ndsim trace summary a.json b.json"),
              "ndsim trace: unexpected argument \"b.json\"; only diff reads two traces");
    EXPECT_EQ(refusal("ndsim trace summary nowhere.json"), "ndsim trace: nowhere.json: No such file or directory");
    EXPECT_EQ(refusal("ndsim trace summary /dev/zero"), "ndsim trace: /dev/zero: is a device, not a trace");
    EXPECT_THAT(refusal("ndsim trace show a.json"), HasSubstr("ACTION must be"));
}

}  // namespace
