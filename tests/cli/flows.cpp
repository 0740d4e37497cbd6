// `ndsim flows`: from input files to finish times.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Error message of `ndsim flows` for a file with this content, named FILE in the message.
std::string refused(const std::string& content) {
    const TemporaryFolder folder;
    const std::string file = folder.file("flows.json");
    std::ofstream(file) << content;
    std::string line = refusal("ndsim flows '" + file + "' --json");
    const std::size_t at = line.find(file);
    return at == std::string::npos ? line : line.replace(at, file.size(), "FILE");
}

Said said_of(const std::string& content, const std::string& options = "") {
    const TemporaryFolder folder;
    const std::string file = folder.file("flows.json");
    std::ofstream(file) << content;
    return run_command("ndsim flows '" + file + "' " + options);
}

constexpr const char* two_share = R"({
  "name": "two share", "description": "one link",
  "links": [{"name": "A", "bandwidth": 1e9, "latency": 0.001}, {"name": "B", "bandwidth": 3e9, "latency": 0}],
  "flows": [{"name": "f0", "start": 0, "size": 1e9, "links": ["A"], "finish": 77},
            {"start": 0.5, "size": 1e9, "links": ["A", "B"]}]})";

// The first flow is alone from 0.001 to 0.501 s; then both send 0.5 GB in 1 s; the second sends its other 0.5 GB alone.
TEST(FlowsCommand, GivesTheSecondsOfEveryFlowInOrder) {
    EXPECT_EQ(said_of(two_share, "--json").out, "{\"cases\":[{\"name\":\"two share\",\"finish\":[1.501,2.001]}]}\n");
}

TEST(FlowsCommand, PrintsNumbersThatReadBackAsTheyAre) {
    const Said said = said_of(R"({"links": [{"name": "A", "bandwidth": 3, "latency": 0}],
                                  "flows": [{"start": 0, "size": 1, "links": ["A"]}]})",
                              "--json");
    EXPECT_EQ(said.json()["cases"][0]["finish"][0].get<double>(), 1e12 / 3 / 1e12);
    EXPECT_EQ(said.json()["cases"][0]["name"], "case 0");
}

TEST(FlowsCommand, GivesTheCasesOfTheOracle) {
    const Said said = run_command("ndsim flows '" NDSIM_SOURCE_DIR "/tests/oracle/data/maxmin.json' --json");
    ASSERT_EQ(said.exit_code, 0) << said.err;
    const nlohmann::json cases = said.json()["cases"];
    ASSERT_EQ(cases.size(), 17U);
    EXPECT_EQ(cases[3]["name"], "two_flows_share_unequal");
    EXPECT_EQ(cases[14]["finish"], (nlohmann::json{1.0, 2.5, 2.5}));
}

TEST(FlowsCommand, PrintsATableForPeople) {
    const Said said = said_of(two_share);
    EXPECT_EQ(said.out,
              "two share: links: 2, flows: 2\n\n"
              "  flow    start, s       bytes  finish, s     mean B/s  route\n"
              "  f0             0  1000000000      1.501  6.66223e+08  A\n"
              "  flow 1       0.5  1000000000      2.001  6.66223e+08  A B\n");
}

TEST(FlowsCommand, NamesTheFileTheCaseAndTheFlowThatAreWrong) {
    const std::string links = R"("links": [{"name": "uplink", "bandwidth": 1, "latency": 0}])";
    const auto flow = [&](const std::string& one) { return "{" + links + ", \"flows\": [" + one + "]}"; };
    EXPECT_EQ(refused(flow(R"({"start": 0, "size": 1, "links": ["upink"]})")),
              "ndsim flows: FILE: flow 0: there is no link \"upink\"; did you mean uplink?");
    EXPECT_EQ(refused(flow(R"({"name": "f", "start": 0, "size": 1, "links": ["uplink", "uplink"]})")),
              "ndsim flows: FILE: flow 0 \"f\": takes link \"uplink\" twice");
    EXPECT_EQ(refused("{\"cases\": [" + flow(R"({"name": "f", "strat": 0, "size": 1, "links": []})") + "]}"),
              "ndsim flows: FILE: case 0: flow 0 \"f\": \"start\" is missing; is \"strat\" meant to be it?");
    EXPECT_EQ(refused(flow(R"({"start": -1, "size": 1, "links": []})")),
              "ndsim flows: FILE: flow 0: \"start\" must be from 0 to 1e30, not -1");
    EXPECT_EQ(refused(flow(R"({"start": 0, "size": "big", "links": []})")),
              "ndsim flows: FILE: flow 0: \"size\" must be a number, not \"big\"");
    EXPECT_EQ(refused(flow(R"({"start": 0, "size": 1, "links": "uplink"})")),
              "ndsim flows: FILE: flow 0: \"links\" must be a list, not \"uplink\"");
    EXPECT_EQ(refused(flow("7")), "ndsim flows: FILE: flow 0: must be an object, not 7");
}

TEST(FlowsCommand, RefusesLinksThatCarryNothingOrHaveOneName) {
    EXPECT_EQ(refused(R"({"name": "c", "links": [{"name": "A", "bandwidth": 0, "latency": 0}], "flows": []})"),
              "ndsim flows: FILE: link 0 \"A\": \"bandwidth\" must be above 0, not 0");
    EXPECT_EQ(refused(R"({"cases": [{"name": "c", "links": [{"name": "A", "bandwidth": 1}], "flows": []}]})"),
              "ndsim flows: FILE: case 0 \"c\": link 0 \"A\": \"latency\" is missing");
    EXPECT_EQ(refused(R"({"links": [{"name": "A", "bandwidth": 1, "latency": 0},
                                    {"name": "A", "bandwidth": 1, "latency": 0}], "flows": []})"),
              "ndsim flows: FILE: link 1 \"A\": link 0 has this name already");
}

TEST(FlowsCommand, RefusesWhatIsNoFileOfCases) {
    EXPECT_THAT(refused("{\"cases\": [}"),
                StartsWith("ndsim flows: FILE: is not valid JSON: parse error at line 1, column 12: "));
    EXPECT_THAT(refused(R"({"links": [{"name": "A", "bandwidth": 1e999, "latency": 0}], "flows": []})"),
                HasSubstr("number overflow"));
    EXPECT_EQ(refused("[]"), "ndsim flows: FILE: must be an object, not []");
    EXPECT_EQ(
        refused("{\"case\": []}"),
        "ndsim flows: FILE: has neither \"cases\" nor, as one case, \"flows\"; is \"case\" meant to be \"cases\"?");
    EXPECT_EQ(refusal("ndsim flows /nowhere.json"), "ndsim flows: /nowhere.json: No such file or directory");
}

}  // namespace
