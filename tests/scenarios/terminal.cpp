#include "tools/command_line/terminal.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

using namespace sim::command_line;

Terminal with(const TerminalFacts& facts, const std::map<std::string, std::string>& environment = {}) {
    return terminal_of(facts, [&](const char* name) {
        const auto at = environment.find(name);
        return at == environment.end() ? nullptr : at->second.c_str();
    });
}

const TerminalFacts window{.is_terminal = true, .columns = 120, .lines = 40};

TEST(Terminal, IsAsWideAsItSaysElseAsColumnsElseAHundred) {
    EXPECT_EQ(with(window, {{"COLUMNS", "70"}}).columns, 120);
    EXPECT_EQ(with({}, {{"COLUMNS", "70"}}).columns, 70);
    EXPECT_EQ(with({}).columns, 100);
    EXPECT_EQ(with({.is_terminal = true}).columns, 100);
    for (const char* const nonsense : {"", "0", "-5", "wide", "70 ", "99999999999"}) {
        EXPECT_EQ(with({}, {{"COLUMNS", nonsense}}).columns, 100) << nonsense;
    }
    EXPECT_EQ(with({}, {{"COLUMNS", "3"}}).columns, 24);
}

TEST(Terminal, HasColoursUnlessItIsNoneOrTheUserWantsNone) {
    EXPECT_TRUE(with(window).colour);
    EXPECT_FALSE(with({}).colour);
    EXPECT_FALSE(with(window, {{"NO_COLOR", "1"}}).colour);
    EXPECT_TRUE(with(window, {{"NO_COLOR", ""}}).colour);
    EXPECT_FALSE(with(window, {{"TERM", "dumb"}}).colour);
    EXPECT_TRUE(with({}, {{"CLICOLOR_FORCE", "1"}}).colour);
    EXPECT_FALSE(with({}, {{"CLICOLOR_FORCE", "0"}}).colour);
    EXPECT_FALSE(with(window, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}).colour);
}

TEST(Terminal, MovesItsCursorUnlessItIsDumb) {
    EXPECT_TRUE(with(window).cursor_moves);
    EXPECT_FALSE(with(window, {{"TERM", "dumb"}}).cursor_moves);
    EXPECT_FALSE(with({}, {{"CLICOLOR_FORCE", "1"}}).cursor_moves);
    EXPECT_EQ(with(window).lines, 40);
}

TEST(Terminal, HasAsciiAloneWhereItIsDumbOrTheLocaleIsC) {
    EXPECT_FALSE(with(window).ascii);
    EXPECT_FALSE(with({}, {{"LANG", "C.UTF-8"}}).ascii);
    EXPECT_TRUE(with(window, {{"TERM", "dumb"}}).ascii);
    EXPECT_FALSE(with({}, {{"TERM", "dumb"}}).ascii);  // TERM says nothing about a pipe
    EXPECT_TRUE(with({}, {{"LC_ALL", "C"}, {"LANG", "C.UTF-8"}}).ascii);
    EXPECT_TRUE(with({}, {{"LANG", "POSIX"}}).ascii);
    EXPECT_FALSE(with({}, {{"LC_CTYPE", "de_DE.UTF-8"}, {"LANG", "C"}}).ascii);
}

TEST(LivePicture, IsDrawnOverTheLast) {
    EXPECT_EQ(redrawing("a\nb\n", 0), "a\033[K\nb\033[K\n\033[J");
    EXPECT_EQ(redrawing("a\n", 2), "\033[2Aa\033[K\n\033[J");
}

TEST(LivePicture, HasNoMoreLinesThanTheTerminal) {
    EXPECT_EQ(first_lines("a\nb\nc\n", 2), "a\nb\n");
    EXPECT_EQ(first_lines("a\nb\n", 5), "a\nb\n");
    EXPECT_EQ(first_lines("", 5), "");
}

}  // namespace
