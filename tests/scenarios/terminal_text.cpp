#include "libsim/report/terminal_text.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/time_axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::report;

TEST(TerminalText, IsTheTextItselfWhereThatIsHarmless) {
    EXPECT_EQ(terminal_text("all-reduce of 16 MB", 80), "all-reduce of 16 MB");
    EXPECT_EQ(terminal_text("Größe, 階段, 🚀", 80), "Größe, 階段, 🚀");
    EXPECT_EQ(terminal_text("", 80), "");
}

TEST(TerminalText, HasAQuestionMarkForEachCharacterThatWouldControl) {
    EXPECT_EQ(terminal_text("\033[31mred\n", 80), "?[31mred?");
    EXPECT_EQ(terminal_text("\u009b31m \u202e \u200b \u0301 \ue000", 80), "?31m ? ? ? ?");
    EXPECT_EQ(terminal_text("\xff \xc0\x80 \xe2\x82", 80), "? ?? ??");
    EXPECT_EQ(terminal_text("Größe 階", 80, true), "Gr??e ?");
}

TEST(TerminalText, EndsWithAMarkWhereItIsCut) {
    EXPECT_EQ(terminal_text("abcdef", 6), "abcdef");
    EXPECT_EQ(terminal_text("abcdef", 5), "abcd…");
    EXPECT_EQ(terminal_text("abcdef", 5, true), "abcd~");
    EXPECT_EQ(terminal_text("abcdef", 1), "…");
    EXPECT_EQ(terminal_text("abcdef", 0), "");
}

TEST(TerminalText, CountsTwoColumnsForAnIdeograph) {
    EXPECT_EQ(columns_of("階段0"), 5);
    EXPECT_EQ(terminal_text("階段階段", 5), "階段…");
    EXPECT_EQ(terminal_text("階段階段", 4), "階…");
}

std::string texts(const std::vector<Tick>& ticks) {
    std::string all;
    for (const Tick& tick : ticks) {
        all += tick.text + " | ";
    }
    return all;
}

Time ps(std::int64_t count) {
    return Time{Duration{count}};
}

TEST(TerminalText, IsBrokenBetweenWords) {
    EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
    EXPECT_EQ(wrapped("incomprehensible", 4, 0), "incomprehensible\n");
    EXPECT_EQ(wrapped("", 80, 2), "");
}

TEST(TimeAxis, HasRoundTicksInOneUnit) {
    EXPECT_EQ(texts(time_ticks(ps(16'100'000'000'000), 4)), "0 s | 5 s | 10 s | 15 s | ");
    EXPECT_EQ(texts(time_ticks(ps(1'100'000'000'000), 6)), "0 s | 0.2 s | 0.4 s | 0.6 s | 0.8 s | 1 s | ");
    EXPECT_EQ(texts(time_ticks(ps(7), 10)), "0 ps | 1 ps | 2 ps | 3 ps | 4 ps | 5 ps | 6 ps | ");
    EXPECT_EQ(texts(time_ticks(ps(250'000'000), 3)), "0 us | 100 us | 200 us | ");
    EXPECT_EQ(texts(time_ticks(ps(0), 3)), "");
    EXPECT_EQ(texts(time_ticks(ps(16'100'000'000'000), 4, ps(11'500'000'000'000))), "12 s | 14 s | 16 s | ");
    EXPECT_EQ(texts(time_ticks(ps(5), 3, ps(5))), "");
    EXPECT_EQ(time_ticks(ps(INT64_MAX), 2).size(), 2U);
}

TEST(TimeAxis, RoundsUpToOneTwoOrFive) {
    EXPECT_EQ(round_time(ps(1)), ps(1));
    EXPECT_EQ(round_time(ps(3)), ps(5));
    EXPECT_EQ(round_time(ps(5'000'001)), ps(10'000'000));
}

}  // namespace
