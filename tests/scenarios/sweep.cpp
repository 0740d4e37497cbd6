#include "libsim/config/errors.hpp"
#include "libsim/search/sweep/grid.hpp"
#include "libsim/search/sweep/table.hpp"
#include "tools/command_line/workers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::config;
using namespace sim::predict;
using namespace sim::search;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> values(const std::string& option, const std::string& text) {
    TrainingOptions options;
    for (const OptionRow& row : training_rows(options)) {
        if (row.name == option) {
            return sweep_values(row, "--" + option, text);
        }
    }
    return {};
}

std::string complaint(const std::string& option, const std::string& text) {
    try {
        values(option, text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(SweepValues, AreAListOrARange) {
    EXPECT_THAT(values("tp", "1,2,4"), ElementsAre("1", "2", "4"));
    EXPECT_THAT(values("gpus", "8:64:x2"), ElementsAre("8", "16", "32", "64"));
    EXPECT_THAT(values("gpus", "8:40"), ElementsAre("8", "16", "32"));
    EXPECT_THAT(values("gpus", "8:80:x3"), ElementsAre("8", "24", "72"));
    EXPECT_THAT(values("micro-batch", "2:8:+3"), ElementsAre("2", "5", "8"));
    EXPECT_THAT(values("usd-per-hour", "0.1:0.3:+0.1"), ElementsAre("0.1", "0.2", "0.3"));
    EXPECT_THAT(values("schedule", "gpipe,1f1b"), ElementsAre("gpipe", "1f1b"));
    EXPECT_THAT(values("flash-attention", "on,off"), ElementsAre("on", "off"));
}

TEST(SweepValues, ThatAreListsThemselvesAreSetApartBySemicolons) {
    EXPECT_THAT(values("efficiency", "gemm_peak=0.5,nic_share=0.9;gemm_peak=0.6"),
                ElementsAre("gemm_peak=0.5,nic_share=0.9", "gemm_peak=0.6"));
    EXPECT_THAT(values("pipeline-layout", "8,8,8,8"), ElementsAre("8,8,8,8"));
    EXPECT_THAT(values("recompute-modules", "mlp,moe_act;mlp"), ElementsAre("mlp,moe_act", "mlp"));
}

TEST(SweepValues, AreCheckedAsTheOptionItself) {
    EXPECT_THAT(complaint("tp", "1,zwei"), HasSubstr("--tp must be a whole number from 1 to"));
    EXPECT_THAT(complaint("tp", "1,,2"), HasSubstr("--tp must be a whole number from 1 to"));
    EXPECT_THAT(complaint("tp", "0:4:+1"), HasSubstr("not 0"));
    EXPECT_THAT(complaint("schedule", "gpip"), HasSubstr("did you mean gpipe?"));
    EXPECT_EQ(complaint("tp", "2,4,2"), "--tp has 2 twice");
    EXPECT_THAT(complaint("tp", "8:1"), HasSubstr("a range like 8:1024:x2 or 8:64:+8, not \"8:1\""));
    EXPECT_THAT(complaint("tp", "1:8:x1"), HasSubstr("a range like"));
    EXPECT_THAT(complaint("tp", "1:8:+0"), HasSubstr("a range like"));
    EXPECT_THAT(complaint("jitter", "0:1:+1e-9"), HasSubstr("--jitter has more than 1000000 values"));
}

SweepTable two_by_two() {
    return SweepTable({{{"gpus", {"8", "16"}}, {"tp", {"1", "2"}}}});
}

std::vector<std::string> result(const std::string& status) {
    std::vector<std::string> cells(result_columns().size());
    cells.front() = status;
    return cells;
}

TEST(SweepGrid, ChangesItsLastOptionFastest) {
    const SweepTable table = two_by_two();
    EXPECT_EQ(typed(table.grid().configuration(0)), "--gpus 8 --tp 1");
    EXPECT_EQ(typed(table.grid().configuration(1)), "--gpus 8 --tp 2");
    EXPECT_EQ(typed(table.grid().configuration(3)), "--gpus 16 --tp 2");
}

TEST(SweepGrid, HasALimit) {
    const std::vector<std::string> many(10'000, "1");
    EXPECT_EQ((SweepGrid{{{"tp", many}, {"pp", {"1"}}}}.size()), 10'000U);
    EXPECT_THROW((SweepGrid{{{"tp", many}, {"pp", many}}}.size()), UsageError);
}

TEST(SweepTable, IsTheSameInWhateverOrderItsRowsCame) {
    SweepTable forward = two_by_two();
    SweepTable backward = two_by_two();
    for (const std::size_t i : {0U, 1U, 2U, 3U}) {
        forward.add(i, forward.row(i, result("ok")));
        backward.add(3 - i, backward.row(3 - i, result("ok")));
    }
    EXPECT_EQ(forward.csv(), backward.csv());
    EXPECT_THAT(forward.csv(), testing::StartsWith("gpus,tp,status,"));
}

TEST(SweepTable, GoesOnWhereAnInterruptionLeftItsFile) {
    SweepTable first = two_by_two();
    for (std::size_t i = 0; i < 4; ++i) {
        first.add(i, first.row(i, result("ok")));
    }
    const std::string whole = first.csv();
    // Cut in the middle of the third of four rows.
    const std::string part = whole.substr(0, whole.find("16,1") + 7);
    SweepTable second = two_by_two();
    second.read(part, "rows.csv");
    EXPECT_THAT(second.missing(), ElementsAre(2, 3));
    for (const std::size_t i : second.missing()) {
        second.add(i, second.row(i, result("ok")));
    }
    EXPECT_EQ(second.csv(), whole);
}

// An incomplete row followed by others, from two processes or a full disk.
TEST(SweepTable, DropsWhatIsNoRow) {
    SweepTable table = two_by_two();
    table.read(table.header() + "\n8,1,ok,1\n8,2,\"ok\n" + table.row(3, result("ok")) + "\n", "rows.csv");
    EXPECT_THAT(table.missing(), ElementsAre(0, 1, 2));
}

TEST(SweepTable, KeepsRowsOfOtherConfigurations) {
    SweepTable small({{{"gpus", {"8"}}, {"tp", {"1"}}}});
    SweepTable table = two_by_two();
    for (std::size_t i = 0; i < 4; ++i) {
        table.add(i, table.row(i, result("ok")));
    }
    small.read(table.csv(), "rows.csv");
    EXPECT_TRUE(small.missing().empty());
    EXPECT_EQ(small.csv(), table.csv());
}

// A row that fits or not, on 8 or 16 GPUs: a step of so many seconds trains 1e6 tokens and costs so much.
std::string row_of(const SweepTable& table, std::size_t number, const std::string& status, double step, double memory,
                   double usd) {
    const std::vector<std::string> columns = result_columns();
    std::vector<std::string> cells(columns.size());
    const auto put = [&](const char* column, const std::string& cell) {
        cells[static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin())] = cell;
    };
    put("status", status);
    put("all_gpus", number < 2 ? "8" : "16");
    put("step_seconds", fmt::format("{}", step));
    put("tokens_per_second", fmt::format("{}", 1e6 / step));
    put("memory", fmt::format("{}", memory));
    put("capacity", "80000000000");
    put("usd_per_step", fmt::format("{}", usd));
    return table.row(number, cells);
}

SweepTable priced() {
    SweepTable table = two_by_two();
    table.add(0, row_of(table, 0, "ok", 4, 60e9, 2));
    table.add(1, row_of(table, 1, "ok", 5, 40e9, 2.5));
    table.add(2, row_of(table, 2, "too large", 1, 90e9, 1));
    table.add(3, row_of(table, 3, "ok", 3, 50e9, 3));
    return table;
}

// The words of the points that are drawn large: no other one is better.
std::vector<std::string> front_of_plot(const std::string& svg) {
    static const std::regex large("r=\"6\"[^>]*><title>([^<]*)</title>");
    std::vector<std::string> words;
    for (std::sregex_iterator at(svg.begin(), svg.end(), large); at != std::sregex_iterator(); ++at) {
        words.push_back((*at)[1]);
    }
    return words;
}

// 1e6 tokens in 4 s: 1e12 in 46.3 days. The row that is too large is left out.
TEST(SweepPlot, MarksTheRowsThatNoOtherOneBeats) {
    const std::string first = "gpus 8, tp 1: 4.000 s, 60.00 GB, $2.00 a step";
    const std::string second = "gpus 8, tp 2: 5.000 s, 40.00 GB, $2.50 a step";
    const std::string last = "gpus 16, tp 2: 3.000 s, 50.00 GB, $3.00 a step";
    EXPECT_THAT(front_of_plot(priced().plot({.x = "memory"})), ElementsAre(second, last));
    EXPECT_THAT(front_of_plot(priced().plot({.x = "gpus"})), ElementsAre(first, last));
    EXPECT_THAT(front_of_plot(priced().plot({.x = "memory", .y = "cost"})),
                testing::UnorderedElementsAre(first, second));
    EXPECT_THAT(front_of_plot(priced().plot({.x = "gpus", .y = "cost"})), ElementsAre(first));
}

TEST(SweepPlot, SaysWhatItShows) {
    const std::string usual = priced().plot({});
    EXPECT_THAT(usual, HasSubstr(">GPUs</text>"));  // the rows differ in them
    EXPECT_THAT(usual, HasSubstr(">days per 1 T tokens</text>"));
    EXPECT_THAT(usual, HasSubstr(">3 of 4 fit: ndsim sweep</text>"));
    EXPECT_THAT(usual, HasSubstr(">tp 2</text>"));
    EXPECT_THAT(usual, testing::Not(HasSubstr("memory of a GPU")));
    const std::string memory = priced().plot({.x = "memory", .y = "cost"});
    EXPECT_THAT(memory, HasSubstr(">memory of the fullest GPU, GB</text>"));
    EXPECT_THAT(memory, HasSubstr(">thousand $ per 1 T tokens</text>"));
    EXPECT_THAT(memory, HasSubstr(">memory of a GPU</text>"));
    EXPECT_THAT(memory, HasSubstr(">gpus 16</text>"));
}

TEST(SweepPlot, IsEmptyWhereNothingFits) {
    SweepTable table = two_by_two();
    EXPECT_EQ(table.plot({}), "");
    table.add(0, row_of(table, 0, "too large", 1, 90e9, 1));
    EXPECT_EQ(table.plot({}), "");
}

TEST(SweepPlot, OfTheCostLeavesOutRowsWithoutAPrice) {
    SweepTable table = two_by_two();
    table.add(0, row_of(table, 0, "ok", 1, 50e9, 0));
    EXPECT_EQ(table.plot({.y = "cost"}), "");
    EXPECT_THAT(table.plot({.y = "time"}), HasSubstr("gpus 8, tp 1: 1.000 s, 50.00 GB<"));
}

TEST(SweepTable, RefusesTheFileOfAnotherSweep) {
    SweepTable table = two_by_two();
    try {
        table.read("a,b\n1,2\n", "rows.csv");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("rows.csv is there and is not a table of this sweep"));
    }
}

TEST(SweepTable, AsJsonHasNumbersAndTexts) {
    SweepTable table({{{"model", {"a, \"b\""}}, {"tp", {"2"}}}});
    std::vector<std::string> cells = result("ok");
    cells[2] = "0.5";
    table.add(0, table.row(0, cells));
    const std::string json = table.json({{"tp", std::string("2")}});
    EXPECT_THAT(json,
                testing::StartsWith(
                    "{\"command\":\"sweep\",\"given\":{\"tp\":\"2\"},\"rows\":[{\"model\":\"a, \\\"b\\\"\",\"tp\":2,"
                    "\"status\":\"ok\",\"all_gpus\":null,\"step_seconds\":0.5,"));
    EXPECT_THAT(json, HasSubstr("\"command\":\"ndsim train --model 'a, \\\"b\\\"' --tp 2\"}"));
}

TEST(Result, OfWhatCannotBeSaysWhy) {
    const auto never = [](const TrainingCase&, const PredictOptions&) -> Prediction {
        throw std::logic_error("predicted");
    };
    const std::vector<std::string> cells = result_of({{"model", "gpt3-6.7b"}, {"tp", "3"}, {"dp", "1"}}, never);
    EXPECT_EQ(cells.front(), "impossible");
    EXPECT_THAT(cells.back(), HasSubstr("heads"));
}

TEST(OverCores, MakesEveryRowOnce) {
    std::vector<std::size_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    Queue queue(numbers);
    std::vector<int> seen(100, 0);
    Workers workers(4);
    over_cores(
        queue, workers, [](std::size_t i) { return std::to_string(i); },
        [&](std::size_t i, const std::string& row) {
            EXPECT_EQ(row, std::to_string(i));
            ++seen[i];
            return true;
        });
    EXPECT_EQ(seen, std::vector<int>(100, 1));
}

TEST(OverCores, StopsWhenItIsEnough) {
    std::vector<std::size_t> numbers(100);
    Queue queue(numbers);
    int taken = 0;
    Workers workers(1);
    over_cores(
        queue, workers, [](std::size_t) { return ""; }, [&](std::size_t, const std::string&) { return ++taken < 3; });
    EXPECT_EQ(taken, 3);
}

TEST(OverCores, ThrowsWhatARowThrew) {
    Queue queue({0, 1, 2});
    const RowMaker fails = [](std::size_t) -> std::string { throw UsageError("no"); };
    Workers workers(2);
    EXPECT_THROW(over_cores(queue, workers, fails, [](std::size_t, const std::string&) { return true; }), UsageError);
}

}  // namespace
