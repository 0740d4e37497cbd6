// Positional arguments of a command line.
#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tools/command_line/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::command_line;
using namespace sim::config;
using testing::HasSubstr;

const Executable executable{.name = "ndsim fly", .summary = "Flies.", .examples = {"ndsim fly high"}};

struct Flight {
    std::string kind = "low";
    std::string file = "none";
    int rounds = 1;
};

std::vector<OptionRow> rows_of(Flight& flight) {
    return {as_argument({"KIND", "", "how", choice(flight.kind, {"low", "high"})}),
            as_argument({"FILE", "", "where to", text(flight.file)}, Role::optional_argument),
            {"rounds", "N", "how often", whole(flight.rounds, 1, 9)}};
}

std::variant<Flight, Answer> read(std::vector<const char*> typed) {
    Flight flight;
    typed.insert(typed.begin(), "fly");
    const auto rows = rows_of(flight);
    const auto settings = read_settings(executable, rows, static_cast<int>(typed.size()), typed.data());
    if (const auto* answer = std::get_if<Answer>(&settings)) {
        return *answer;
    }
    set_options(std::get<Settings>(settings), rows);
    return flight;
}

std::string complaint(const std::vector<const char*>& typed) {
    try {
        read(typed);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(Arguments, AreTakenInOrderWhereverTheOptionsStand) {
    for (const auto& typed : std::vector<std::vector<const char*>>{{"high", "there.txt", "--rounds", "3"},
                                                                   {"--rounds", "3", "high", "there.txt"},
                                                                   {"high", "--rounds=3", "there.txt"},
                                                                   {"--rounds=3", "--", "high", "there.txt"}}) {
        const Flight flight = std::get<Flight>(read(typed));
        EXPECT_EQ(flight.kind, "high");
        EXPECT_EQ(flight.file, "there.txt");
        EXPECT_EQ(flight.rounds, 3);
    }
}

TEST(Arguments, ThatAreOptionalMayBeLeftOut) {
    EXPECT_EQ(std::get<Flight>(read({"high"})).file, "none");
}

TEST(Arguments, ThatAreWrongAreNamedWithoutDashes) {
    EXPECT_EQ(complaint({}), "KIND is missing: how; see --help");
    EXPECT_EQ(complaint({"--rounds", "3"}), "KIND is missing: how; see --help");
    EXPECT_EQ(complaint({"hihg"}), "KIND must be low or high, not \"hihg\"; did you mean high?");
    EXPECT_EQ(complaint({"high", "there.txt", "more"}),
              "unexpected argument \"more\"; usage: ndsim fly KIND [FILE], see --help");
    EXPECT_EQ(complaint({"high", "--round", "3"}), "unknown option --round; did you mean --rounds?");
    EXPECT_EQ(complaint({"high", "--KIND", "low"}), "unknown option --KIND; see --help");
}

TEST(Arguments, CannotComeFromAFile) {
    const TemporaryFolder folder;
    const std::string file = folder.with("run.toml", "KIND = \"high\"\n");
    EXPECT_EQ(complaint({"low", "--config", file.c_str()}), file + ":1: unknown option KIND");
}

TEST(Arguments, AreOnTheUsageLine) {
    const std::string help = std::get<Answer>(read({"--help"})).text;
    EXPECT_THAT(help, HasSubstr("Usage: ndsim fly [OPTIONS] KIND [FILE]\n"));
}

// Options are under the headings of their rows, in the order of their first options; general ones come last.
TEST(Arguments, AreInTheHelpByGroup) {
    Flight flight;
    std::vector<OptionRow> rows = rows_of(flight);
    int height = 0;
    rows.push_back({.name = "height", .takes = "N", .help = "how high", .kind = whole(height, 0, 9), .group = "Air"});
    const char* typed[] = {"fly", "--help"};
    const auto answer = read_settings(executable, rows, 2, typed);
    EXPECT_EQ(
        std::get<Answer>(answer).text,
        "Flies.\n"
        "Usage: ndsim fly [OPTIONS] KIND [FILE]\n\n"
        "Examples:\n  ndsim fly high\n\n"
        "Arguments:\n"
        "  KIND                how\n"
        "  [FILE]              where to\n\n"
        "Options:\n"
        "  --rounds N          how often\n\n"
        "Air:\n"
        "  --height N          how high\n\n"
        "General:\n"
        "  -h, --help          print this and exit; --help columns: every key and column of the output; --help man: as "
        "a manual\n"
        "                      page; --help options: as JSON\n"
        "  --version           print the version and exit\n"
        "  --config FILE.toml  NAME = VALUE of the same options; the command line wins\n");
}

}  // namespace
