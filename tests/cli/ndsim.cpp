// `ndsim` itself: the list of its commands.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Ndsim, AloneSaysWhatItsHelpSays) {
    const Said alone = run_command("ndsim");
    EXPECT_EQ(alone.exit_code, 0);
    EXPECT_THAT(alone.out, HasSubstr("Usage: ndsim COMMAND [OPTIONS] …\n\nCommands:\n"));
    EXPECT_THAT(alone.out, HasSubstr("\n  goal "));
    EXPECT_EQ(alone.out, run_command("ndsim --help").out);
    EXPECT_EQ(alone.out, run_command("ndsim -h").out);
}

TEST(Ndsim, HasTheVersionOfTheScenarios) {
    const Said said = run_command("ndsim --version");
    EXPECT_EQ(said.out, run_command("0d_sequential --version").out);
    EXPECT_THAT(said.out, StartsWith("ndsim "));
}

TEST(Ndsim, RefusesWhatIsNoCommand) {
    EXPECT_EQ(refusal("ndsim gaol"), "ndsim: unknown command \"gaol\"; did you mean goal?");
    EXPECT_EQ(refusal("ndsim zzzzzzzz"), "ndsim: unknown command \"zzzzzzzz\"; see --help");
    EXPECT_EQ(refusal("ndsim ''"), "ndsim: unknown command \"\"; see --help");
    EXPECT_EQ(refusal("ndsim --json"),
              "ndsim: unknown option --json; options follow a command: ndsim COMMAND --json, see --help");
}

}  // namespace
