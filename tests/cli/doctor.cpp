// `ndsim doctor` on the computer that runs the tests: whatever else is missing, ranks can be launched.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Doctor, LaunchesRanksOfBothHosts) {
    const Said said = run_command("ndsim doctor");
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, StartsWith("works    ranks as processes    two ranks added up their numbers"));
    EXPECT_THAT(said.out, HasSubstr("\nworks    ranks as fibers "));
    EXPECT_THAT(said.out, EndsWith("\nndsim works here.\n"));
}

TEST(Doctor, SaysInJsonWhatItSaysInWords) {
    const nlohmann::json json = run_command("ndsim doctor --json").json();
    EXPECT_EQ(json["works"], true);
    EXPECT_EQ(json["checks"][0]["name"], "ranks as processes");
    EXPECT_EQ(json["checks"][0]["health"], "works");
    EXPECT_EQ(json["version"].get<std::string>() + "\n", run_command("ndsim --version").out);
}

TEST(Doctor, EndsWithOneWhereNoMoreFilesCanBeOpened) {
    const Said said = run_command("ndsim doctor --json", R"(bash -c 'ulimit -n 5; exec "$@"' -)");
    EXPECT_EQ(said.exit_code, 1) << said.out << said.err;
    EXPECT_EQ(said.json()["works"], false);
    EXPECT_THAT(said.json()["checks"][0]["repair"].get<std::string>(), HasSubstr("ulimit -n 1024"));
}

}  // namespace
