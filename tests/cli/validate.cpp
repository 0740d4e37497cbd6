// `ndsim validate`: from published runs to predictions and their errors.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* shipped = NDSIM_SOURCE_DIR "/docs/data/published_runs.json";

json shipped_records() {
    return json::parse(content_of(shipped));
}

Said said_of(const json& file, const std::string& options) {
    const TemporaryFolder folder;
    const std::string name = folder.file("runs.json");
    std::ofstream(name) << file.dump();
    return run_command("ndsim validate '" + name + "' " + options);
}

TEST(ValidateCommand, WritesTheSetsAndARecordForEachRun) {
    const TemporaryFolder folder;
    const std::string out = folder.file("predictions.json");
    const Said said = run_command(std::string("ndsim validate '") + shipped + "' --out '" + out + "'");
    ASSERT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    const json result = json::parse(content_of(out));
    EXPECT_EQ(result["records"].size(), 821U);
    for (const char* key : {"n", "mape", "bias", "spearman"}) {
        EXPECT_TRUE(result["sets"]["KORTH-T5"].contains(key)) << key;
    }
    EXPECT_EQ(result["sets"]["KORTH-T5"]["n"], 4);
    EXPECT_EQ(result["sets"]["BLOOM-SWEEP"]["n"], 45);  // two of 47 are suspect
    for (const char* key : {"id", "predicted_iter_s", "predicted_memory_gib", "assumed"}) {
        EXPECT_TRUE(result["records"][0].contains(key)) << key;
    }
}

TEST(ValidateCommand, PredictsTheSameOfRunsThatMeasuredNothing) {
    json file = shipped_records();
    const Said measured = said_of(file, "--json");
    for (json& record : file["records"]) {
        record.erase("measured");
    }
    const Said silent = said_of(file, "--json");
    ASSERT_EQ(silent.exit_code, 0) << silent.err;
    const json before = measured.json()["records"];
    const json after = silent.json()["records"];
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (const char* key : {"id", "predicted_iter_s", "predicted_memory_gib", "assumed"}) {
            EXPECT_EQ(before[i][key], after[i][key]) << before[i]["id"];
        }
    }
}

TEST(ValidateCommand, PrintsARowPerSet) {
    const Said said = run_command(std::string("ndsim validate '") + shipped + "' --set KORTH-T5,ZB-T4");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("\n  KORTH-T5     4 "));
    EXPECT_THAT(said.out, HasSubstr("\n  ZB-T4       24 "));
    EXPECT_THAT(said.out, testing::Not(HasSubstr("BLOOM")));
}

TEST(ValidateCommand, SaysTheSameOnOneThreadAndOnFour) {
    const std::string line = std::string("ndsim validate '") + shipped + "' --json --jobs ";
    EXPECT_EQ(run_command(line + "1").out, run_command(line + "4").out);
}

TEST(ValidateCommand, PredictsSlowerStepsOnSlowerGpus) {
    const std::string line = std::string("ndsim validate '") + shipped + "' --set KORTH-T5 --json";
    const auto seconds = [](const Said& said) { return said.json()["records"][0]["predicted_iter_s"].get<double>(); };
    EXPECT_GT(seconds(run_command(line + " --efficiency ampere.gemm_peak=0.3")), seconds(run_command(line)));
}

TEST(ValidateCommand, PredictsTheOthersWhereOneRecordIsBad) {
    json file = shipped_records();
    file["records"].erase(file["records"].begin() + 3, file["records"].end());
    file["records"][1]["layout"].erase("tp");
    const Said said = said_of(file, "--json");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    const json answer = said.json();
    EXPECT_TRUE(answer["records"][0]["predicted_iter_s"].is_number());
    EXPECT_TRUE(answer["records"][1]["predicted_iter_s"].is_null());
    EXPECT_TRUE(answer["records"][2]["predicted_iter_s"].is_number());
    ASSERT_EQ(answer["left_out"].size(), 1U);
    EXPECT_EQ(answer["left_out"][0]["id"], "sc21-t1-0003");
    EXPECT_THAT(answer["left_out"][0]["why"], HasSubstr("record 1 \"sc21-t1-0003\": layout.tp is missing"));
}

TEST(ValidateCommand, ListsWhatItLeavesOutAndWhy) {
    json file = shipped_records();
    file["records"].erase(file["records"].begin() + 2, file["records"].end());
    file["records"][0]["hardware"]["gpu"] = "abacus";
    const Said said = said_of(file, "");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("\n1 of 2 records left out:\n  record \"sc21-t1-0001\": hardware.gpu \"abacus\" is "
                                    "not known"));
}

TEST(ValidateCommand, EndsWithOneForWhatItLeavesOutOnlyWhereAsked) {
    json file = shipped_records();
    file["records"].erase(file["records"].begin() + 2, file["records"].end());
    EXPECT_EQ(said_of(file, "--strict").exit_code, 0);
    file["records"][0]["layout"]["tp"] = 7;  // of 32 heads
    const Said said = said_of(file, "--strict");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(said.err, "ndsim validate: 1 of 2 records left out (--strict)\n");
    EXPECT_THAT(said.out, HasSubstr("left out:\n"));
}

TEST(ValidateCommand, AnswersWhereNothingCouldBePredicted) {
    json file = shipped_records();
    file["records"].erase(file["records"].begin() + 1, file["records"].end());
    file["records"][0]["hardware"]["gpu"] = "abacus";
    const Said said = said_of(file, "");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("\n1 of 1 record left out:\n"));
}

TEST(ValidateCommand, RefusesFilesThatHoldNoRuns) {
    const TemporaryFolder folder;
    const std::string name = folder.file("runs.json");
    std::ofstream(name) << "{\"runs\": []}";
    EXPECT_EQ(refusal("ndsim validate '" + name + "'"),
              "ndsim validate: " + name + ": has no list \"records\" of published runs");
    EXPECT_EQ(refusal("ndsim validate /nowhere.json"), "ndsim validate: /nowhere.json: No such file or directory");
}

TEST(ValidateCommand, RefusesNamesThatThereAreNot) {
    const std::string line = std::string("ndsim validate '") + shipped + "' ";
    EXPECT_THAT(refusal(line + "--set KORTH-T6"), HasSubstr("no set \"KORTH-T6\"; did you mean KORTH-T5?"));
    EXPECT_THAT(refusal(line + "--efficiency ampere.gem_peak=0.7"),
                HasSubstr("there is no \"gem_peak\"; did you mean gemm_peak?"));
    EXPECT_THAT(refusal(line + "--efficiency amper.gemm_peak=0.7"), HasSubstr("did you mean ampere?"));
    EXPECT_THAT(refusal(line + "--efficiency ampere.gemm_peak=70"),
                HasSubstr("gemm_peak must be a number from 0.01 to 1.2"));
    EXPECT_THAT(refusal(line + "--efficiency gemm_peak"),
                HasSubstr("--efficiency must be KEY=VALUE or GENERATION.KEY=VALUE"));
}

TEST(ValidateCommand, SaysWhereItCannotWrite) {
    refusal(std::string("ndsim validate '") + shipped + "' --out /nowhere/predictions.json", 6);
}

}  // namespace
