#include "libsim/report/text_table.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::report;

const std::vector<TextColumn> name_and_size{{"name", Align::left}, {"size"}};

TEST(TextTable, SetsWordsToTheLeftAndNumbersToTheRightOfMeasuredColumns) {
    const TextTable table{.columns = {{"name", Align::left}, {"size"}, {"why", Align::left}},
                          .rows = {{{"ring", "7", "so"}}, {{"halving", "1024", "because"}}}};
    EXPECT_EQ(text_of(table),
              "name     size  why\n"
              "ring        7  so\n"
              "halving  1024  because\n");
}

TEST(TextTable, HasAMarginGapsAndLeastWidths) {
    const TextTable table{
        .columns = {{"a", Align::left, 2, 3}, {"b", Align::right, 1, 4}}, .rows = {{{"x", "12345"}}}, .margin = "# "};
    EXPECT_EQ(text_of(table),
              "# a       b\n"
              "# x   12345\n");
}

TEST(TextTable, HasNoLineOfEmptyHeadingsAndNoBlanksAtTheEndOfALine) {
    EXPECT_EQ(text_of({.columns = {{"", Align::left}, {"", Align::left}},
                       .rows = {{{"a", ""}}, {{"", "b"}}, {}},
                       .margin = "  "}),
              "  a\n"
              "     b\n"
              "\n");
    EXPECT_EQ(text_of({.columns = name_and_size}), "name  size\n");
    EXPECT_EQ(text_of({.columns = {{}}}), "");
}

TEST(TextTable, HasUnitsBelowTheHeadings) {
    EXPECT_EQ(
        text_of({.columns = {{"op"}, {.heading = "time", .unit = "(us)"}, {.heading = "count", .unit = "(elements)"}},
                 .rows = {{{"sum", "1.5", "7"}}}}),
        " op  time       count\n"
        "     (us)  (elements)\n"
        "sum   1.5           7\n");
}

TEST(TextTable, ASentenceInPlaceOfCellsWidensNoColumn) {
    EXPECT_EQ(text_of({.columns = {{"dp"}, {"ranks"}, {"time"}},
                       .rows = {{{"2", "2", "8 s"}}, {{"3", "-"}, "not possible: 8 items on 3 ranks"}},
                       .margin = "  "}),
              "  dp  ranks  time\n"
              "   2      2   8 s\n"
              "   3      -  not possible: 8 items on 3 ranks\n");
}

TEST(TextTable, ARowWithoutCellsIsATitleAtTheLeftEdgeAndTheRowsBelowItShareTheWidths) {
    EXPECT_EQ(text_of({.columns = {{"", Align::left}, {""}},
                       .rows = {{{}, "hardware"}, {{"memory", "80"}}, {}, {{}, "network"}, {{"rate", "100000"}}},
                       .margin = "  "}),
              "hardware\n"
              "  memory      80\n"
              "\n"
              "network\n"
              "  rate    100000\n");
}

TEST(TextTable, MeasuresColumnsOfTheTerminalAndNotBytes) {
    EXPECT_EQ(text_of({.columns = name_and_size, .rows = {{{"µs…", "1"}}, {{"漢字", "2"}}, {{"four", "3"}}}}),
              "name  size\n"
              "µs…      1\n"
              "漢字     2\n"
              "four     3\n");
}

TEST(TextTable, NoCellBreaksALineOrControlsTheTerminal) {
    EXPECT_EQ(text_of({.columns = name_and_size, .rows = {{{"a\nb\033", "1"}}, {{}, "c\rd"}}}),
              "name  size\n"
              "a?b?     1\n"
              "c?d\n");
}

TEST(TextTable, OfRowsThatComeOneByOneHasTheLeastWidths) {
    const std::vector<TextColumn> columns{{"size", Align::right, 1, 6, "(B)"}, {"name", Align::left, 2, 0}};
    EXPECT_EQ(head_of(columns, "# "),
              "#   size  name\n"
              "#    (B)\n");
    EXPECT_EQ(line_of(columns, {{"12", "ring"}}, "  "), "      12  ring\n");
    EXPECT_EQ(line_of(columns, {{"12345678", "tree"}}, "  "), "  12345678  tree\n");
}

TEST(TextTable, ListsNamesBesideWhatIsSaidOfThem) {
    TextTable list = list_of_names("  ");
    list.rows = {{{"step", "1.000 s; 32 tokens"}}, {{"limited by", "the network"}}};
    EXPECT_EQ(text_of(list),
              "  step        1.000 s; 32 tokens\n"
              "  limited by  the network\n");
}

}  // namespace
