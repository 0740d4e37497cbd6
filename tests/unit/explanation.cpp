#include "libsim/explain/explanation.hpp"

#include "libsim/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sim::explain {
namespace {

using testing::HasSubstr;

Section verdict() {
    Section section{.kind = SectionKind::verdict};
    section.said = {{"A step takes {step}.", "One round takes {step}."}};
    section.figures = {{"step", "step", 1.5, Unit::seconds, "simulated", "/step_seconds"},
                       {"memory", "memory", std::int64_t{61'300'000'000}, Unit::bytes, "memory model"}};
    section.tables = {
        {.key = "stages",
         .title = "Each stage",
         .columns = {{"stage", "stage", Unit::count}, {"bytes", "holds", Unit::bytes, "model", "total"}},
         .rows = {{{std::int64_t{0}, std::int64_t{2'000'000}}, "/memory/stages/0"}, {{std::int64_t{1}, {}}}}}};
    return section;
}

TEST(Explanation, ShowsAValueInItsUnit) {
    EXPECT_EQ(shown(1.5, Unit::seconds), "1.500 s");
    EXPECT_EQ(shown(std::int64_t{61'300'000'000}, Unit::bytes), "61.30 GB");
    EXPECT_EQ(shown(0.5, Unit::share), "50.0 %");
    EXPECT_EQ(shown(-0.061, Unit::change), "-6.1 %");
    EXPECT_EQ(shown(7.4, Unit::factor), "7.40 x");
    EXPECT_EQ(shown(std::int64_t{8192}, Unit::count), "8192");
    EXPECT_EQ(shown(std::int64_t{8'030'261'248}, Unit::count), "8.030 B");
    EXPECT_EQ(shown(5600.0, Unit::watts), "5.600 kW");
    EXPECT_EQ(shown(43'200.0, Unit::joules), "43.20 kJ");
    EXPECT_EQ(shown(Value{}, Unit::seconds), "-");
}

TEST(Explanation, PutsItsFiguresIntoItsSentences) {
    const Section section = verdict();
    EXPECT_EQ(filled(section, section.said[0], Level::field), "A step takes 1.500 s.");
    EXPECT_EQ(filled(section, section.said[0], Level::beginner), "One round takes 1.500 s.");
}

TEST(Explanation, RefusesASentenceWhoseFigureIsMissing) {
    EXPECT_THROW(filled(verdict(), {"It costs {money}."}, Level::field), InternalError);
    EXPECT_THROW(filled(verdict(), {"It takes {step"}, Level::field), InternalError);
}

TEST(Explanation, AsTextSaysHowEachFigureWasFound) {
    const Explanation all{.title = "a model", .of = "ndsim train", .sections = {verdict()}};
    EXPECT_EQ(text_of(all),
              "a model\n"
              "explains: ndsim train\n"
              "\n"
              "1. Verdict\n"
              "  A step takes 1.500 s.\n"
              "  step     1.500 s  simulated\n"
              "  memory  61.30 GB  memory model\n"
              "\n"
              "  Each stage\n"
              "  stage     holds\n"
              "      0  2.000 MB\n"
              "      1         -\n"
              "  (holds: model)\n");
}

TEST(Explanation, AsJsonHasEachFigureInFullAndWhereItComesFrom) {
    const Explanation all{.title = "a model", .of = "ndsim train", .sections = {verdict()}};
    const auto json = nlohmann::json::parse(json_of(all));
    const auto& section = json["sections"]["verdict"];
    EXPECT_EQ(section["figures"]["memory"]["value"], 61'300'000'000);
    EXPECT_EQ(section["figures"]["step"]["same_as"], "/step_seconds");
    EXPECT_EQ(section["figures"]["memory"]["same_as"], nullptr);
    EXPECT_EQ(section["tables"]["stages"]["rows"][0]["bytes"]["same_as"], "/memory/stages/0/total");
    EXPECT_EQ(section["tables"]["stages"]["rows"][1]["bytes"]["value"], nullptr);
    EXPECT_EQ(section["said"][0], "A step takes 1.500 s.");
    EXPECT_EQ(json["scenario"], nullptr);
}

TEST(Explanation, AsATableHasEveryFigureInFull) {
    const report::Table table = table_of({.title = "a model", .of = "ndsim train", .sections = {verdict()}});
    EXPECT_THAT(table.rows,
                testing::ElementsAre(testing::ElementsAre("verdict", "step", "1.5", "seconds", "simulated"),
                                     testing::ElementsAre("verdict", "memory", "61300000000", "bytes", "memory model"),
                                     testing::ElementsAre("verdict", "stages.0.stage", "0", "count", ""),
                                     testing::ElementsAre("verdict", "stages.0.bytes", "2000000", "bytes", "model"),
                                     testing::ElementsAre("verdict", "stages.1.stage", "1", "count", ""),
                                     testing::ElementsAre("verdict", "stages.1.bytes", "", "bytes", "model")));
}

TEST(Explanation, SaysATextThatASentenceHasSaidOnce) {
    Section section{.kind = SectionKind::verdict, .said = {{"Limited by {limiter}."}}};
    section.figures = {{"limiter", "limited by", "the work", Unit::words, ""},
                       {"schedule", "schedule", "1f1b", Unit::words, ""}};
    EXPECT_EQ(text_of(section, Level::field), "  Limited by the work.\n  schedule: 1f1b\n");
}

TEST(Explanation, ShowsATableOfOneColumnOfWordsAsAList) {
    Section section{.kind = SectionKind::assumptions};
    section.tables = {
        {.key = "all", .title = "Assumed", .columns = {{"what", "what", Unit::words}}, .rows = {{{"this"}}}}};
    EXPECT_EQ(text_of(section, Level::field), "  Assumed\n  - this\n");
}

TEST(Explanation, LeavesNoControlCharacterInAName) {
    const Explanation all{.title = "a \x1b[31mmodel", .of = "ndsim train", .sections = {}};
    EXPECT_THAT(text_of(all), HasSubstr("a ?[31mmodel\n"));
}

}  // namespace
}  // namespace sim::explain
