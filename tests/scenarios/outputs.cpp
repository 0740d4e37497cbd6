#include "tools/command_line/outputs.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using testing::ElementsAre;

const Offer everything{.json = "one object", .table = "all rows", .picture = "a map"};

Report report() {
    return {.text = [] { return "two rows\n"; },
            .json = [] { return "{}\n"; },
            .table =
                [] {
                    return report::Table{.columns = {{"n"}}, .rows = {{"1"}, {"2"}}};
                },
            .picture = [] { return "<svg/>\n"; }};
}

std::string printed(const Outputs& outputs) {
    testing::internal::CaptureStdout();
    write_outputs(outputs, report());
    return testing::internal::GetCapturedStdout();
}

std::vector<std::string> names(const Offer& offer) {
    Outputs outputs;
    return option_names(output_rows(outputs, offer));
}

TEST(Outputs, HaveAnOptionForWhatACommandOffers) {
    EXPECT_THAT(names(everything), ElementsAre("csv", "svg", "json"));
    EXPECT_THAT(names({.table = "all rows"}), ElementsAre("csv", "json"));
    EXPECT_THAT(names({.timeline = "what happens when"}),
                ElementsAre("svg", "trace", "report", "timeline", "ascii", "from", "to", "json"));
    EXPECT_THAT(names({}), ElementsAre("json"));
}

TEST(Outputs, ArePartsOfATimelineOnlyWhereOneIsDrawnAndItsEndIsBehindItsBeginning) {
    const auto complaint = [](const Outputs& outputs) {
        try {
            check_outputs(outputs);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(complaint({{"timeline", ""}, {"from", "1.5s"}, {"to", "1600ms"}}), "");
    EXPECT_EQ(complaint({{"from", "1s"}}), "--from needs --timeline");
    EXPECT_EQ(complaint({{"timeline", ""}, {"to", "5"}}),
              "--to must be a time with its unit, such as 120ms, not \"5\"");
    EXPECT_EQ(complaint({{"timeline", ""}, {"from", "2s"}, {"to", "1s"}}), "--to 1s must be later than --from 2s");
    EXPECT_EQ(complaint({{"timeline", ""}, {"to", "0s"}}), "--to 0s must be later than 0s");
}

TEST(Outputs, AreSetByTheirOptions) {
    Outputs outputs;
    const std::vector<OptionRow> rows = output_rows(outputs, everything);
    set_option(rows[0], "--csv", TomlValue{std::string("rows.csv")});
    set_option(rows[2], "--json", TomlValue{true});
    EXPECT_EQ(outputs, (Outputs{{"csv", "rows.csv"}, {"json", "-"}}));
    set_option(rows[2], "--json", TomlValue{false});
    EXPECT_EQ(outputs, (Outputs{{"csv", "rows.csv"}}));
    EXPECT_TRUE(is_called(rows[1], "plot"));
}

TEST(Outputs, ShowTheTextWhereNothingElseIsPrinted) {
    const TemporaryFolder folder;
    EXPECT_EQ(printed({}), "two rows\n");
    EXPECT_EQ(printed({{"json", "-"}}), "{}\n");
    EXPECT_EQ(printed({{"csv", "-"}}), "n\n1\n2\n");
    EXPECT_EQ(printed({{"csv", folder.file("t.csv")}}), "two rows\n");
    std::ostringstream written;
    written << std::ifstream(folder.file("t.csv")).rdbuf();
    EXPECT_EQ(written.str(), "n\n1\n2\n");
}

TEST(Outputs, CannotBothBePrinted) {
    try {
        check_outputs({{"csv", "-"}, {"json", "-"}});
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "--json and --csv - both want standard output; give one of them a file");
    }
}

report::Timeline timeline() {
    static const std::string label = "work";
    report::Timeline timeline{.title = "run", .ranks = 1};
    timeline.add({.label = &label, .end = Time{Duration{10}}});
    return timeline;
}

TEST(Outputs, DrawATimelineWhereTheTextIs) {
    const Outputs outputs{{"timeline", ""}, {"ascii", ""}};
    EXPECT_TRUE(shows_text(outputs));
    EXPECT_TRUE(wants_timeline(outputs));
    EXPECT_FALSE(wants_timeline({{"ascii", ""}}));
    EXPECT_NO_THROW(check_outputs(outputs));
    testing::internal::CaptureStdout();
    write_timeline(outputs, timeline());
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "run: 1 rank, 10 ps; a column is 1 ps\n"
              "        |0 ps\n"
              "rank 0  WCCCCCCCCC\n"
              "C compute  W work\n"
              "\n");
}

TEST(Outputs, DrawATimelineOnStandardErrorWhereTheTextIsNot) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    write_timeline({{"timeline", ""}, {"json", "-"}}, timeline());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("rank 0  W█████████\n"), std::string::npos);
}

TEST(Outputs, AreRefusedBeforeTheWorkWhereTheyCannotBeWritten) {
    EXPECT_THROW(check_outputs({{"svg", "/nowhere/map.svg"}}), OutputError);
}

}  // namespace
