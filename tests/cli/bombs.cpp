// Small files that would exhaust a parser: each is refused in one line with exit code 2, in little time and memory.
#include "tests/cli/command.hpp"
#include "tests/support/repeated.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

using testing::HasSubstr;

struct Bomb {
    const char* name;
    std::string text;
};

std::vector<Bomb> json_bombs() {
    return {
        {"lists.json", repeated(100'000, "[")},
        {"closed_lists.json", repeated(100'000, "[") + repeated(100'000, "]")},
        {"objects.json", repeated(50'000, "{\"a\":")},
        {"mixed.json", repeated(50'000, "[{\"a\":")},
        {"after_text.json", "{\"cases\": \"[[[\", \"x\": " + repeated(2'000, "[")},
        {"long.json", "{\"cases\": \"" + std::string(3'000'000, 'x') + "\"}"},
        {"long_key.json", "{\"" + std::string(3'000'000, 'x') + "\": 1}"},
    };
}

std::vector<Bomb> toml_bombs() {
    return {
        {"dots.toml", "a" + repeated(15'000, ".a") + " = 1\n"},
        {"table.toml", "[a" + repeated(15'000, ".a") + "]\n"},
        {"quoted.toml", repeated(15'000, "\"a\".") + "b = 1\n"},
        {"lists.toml", "a = " + repeated(100'000, "[")},
        {"inline.toml", "a = " + repeated(50'000, "{ a = ")},
        {"inline_dots.toml", "a = { b" + repeated(15'000, ".b") + " = 1 }\n"},
        {"long.toml", "a = \"" + std::string(3'000'000, 'x') + "\"\n"},
        {"long_lines.toml", "a = '''\n" + repeated(300'000, "xxxxxxxxx\n") + "'''\n"},
    };
}

// Runs under a shell limit of 256 MB of address space beyond the program's own.
void expect_refused(const std::string& line, const std::string& name) {
    const Said said = run_command(line, "ulimit -v 600000;");
    EXPECT_EQ(said.exit_code, 2) << line << "\n" << said.err;
    EXPECT_THAT(said.err, HasSubstr(name)) << line;
    EXPECT_THAT(said.err, testing::AnyOf(HasSubstr("nested more than 64 deep"), HasSubstr("more than 64 parts"),
                                         HasSubstr("a text has more than 1 MiB")))
        << line;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
}

TEST(Bombs, OfJsonAreRefusedByAllThatReadIt) {
    const TemporaryFolder folder;
    for (const Bomb& bomb : json_bombs()) {
        const std::string file = folder.with(bomb.name, bomb.text);
        expect_refused(fmt::format("ndsim flows '{}'", file), bomb.name);
        expect_refused(fmt::format("ndsim validate '{}'", file), bomb.name);
        expect_refused(fmt::format("ndsim train --model '{}'", file), bomb.name);
        expect_refused(fmt::format("ndsim compare '{0}' '{0}'", file), bomb.name);
        expect_refused(fmt::format("ndsim compare '{0}' '{0}' '{0}'", file), bomb.name);
    }
}

TEST(Bombs, OfTomlAreRefusedByAllThatReadIt) {
    const TemporaryFolder folder;
    for (const Bomb& bomb : toml_bombs()) {
        const std::string file = folder.with(bomb.name, bomb.text);
        expect_refused(fmt::format("1d_data_parallel --profile '{}'", file), bomb.name);
        expect_refused(fmt::format("1d_data_parallel --config '{}'", file), bomb.name);
        expect_refused(fmt::format("ndsim topology '{}'", file), bomb.name);
        expect_refused(fmt::format("ndsim hardware '{}'", file), bomb.name);
        expect_refused(fmt::format("ndsim train --model '{}'", file), bomb.name);
    }
}

}  // namespace
