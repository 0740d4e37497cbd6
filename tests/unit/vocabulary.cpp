#include "libsim/explain/vocabulary.hpp"

#include "libsim/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace sim::explain {
namespace {

std::vector<std::string> words(const std::vector<const Term*>& terms) {
    std::vector<std::string> list;
    for (const Term* const term : terms) {
        list.emplace_back(term->word);
    }
    return list;
}

TEST(Vocabulary, IntroducesATermOnceAndWhatItsIntroductionNeedsBeforeIt) {
    Reader reader;
    const auto met = words(reader.meet("The all-reduce of a GPU."));
    EXPECT_THAT(met, testing::ElementsAre("GPU", "all-reduce"));
    EXPECT_THAT(words(reader.meet("Another all-reduce.")), testing::IsEmpty());
}

TEST(Vocabulary, TakesTheLongestTermAndWholeWordsOnly) {
    Reader reader;
    EXPECT_THAT(words(reader.meet("megabytes of gpuish steppes")), testing::IsEmpty());
    const auto met = words(reader.meet("global batch"));
    EXPECT_THAT(met, testing::Contains("global batch"));
    EXPECT_THAT(met, testing::Not(testing::Contains("batch")));
}

TEST(Vocabulary, KnowsTheOptionsOfACommandLine) {
    Reader reader;
    const auto met = words(reader.meet("ndsim train --tp 2 --zero 1"));
    EXPECT_THAT(met, testing::IsSupersetOf({"tensor parallelism", "ZeRO"}));
}

TEST(Vocabulary, HasNoFormTwice) {
    std::set<std::string> seen;
    for (const Term& term : vocabulary()) {
        for (const std::string& form : split(term.forms, '|')) {
            EXPECT_TRUE(seen.insert(form).second) << form;
            for (const char c : form) {
                EXPECT_FALSE(c >= 'A' && c <= 'Z') << form;
            }
        }
    }
}

// A reader of a single term must be able to learn all terms in its definition first, so definitions are never circular.
TEST(Vocabulary, LeadsNoTermBackToItself) {
    for (const Term& term : vocabulary()) {
        Reader reader;
        const std::vector<const Term*> met = reader.meet(term.word);
        ASSERT_FALSE(met.empty()) << term.word;
        EXPECT_EQ(met.back(), &term) << term.word;
        Reader strict;
        for (const Term* const one : met) {
            auto unknown = strict.meet(one->meaning);
            std::erase(unknown, one);  // it may mention its own short form
            EXPECT_THAT(words(unknown), testing::IsEmpty()) << one->word << ": " << one->meaning;
            strict.meet(one->word);
        }
    }
}

TEST(Vocabulary, IsForBeginnersAlone) {
    Explanation explanation{.title = "a GPU", .sections = {{.kind = SectionKind::verdict, .said = {{"A bubble."}}}}};
    EXPECT_THAT(introductions(explanation), testing::Each(testing::IsEmpty()));
    explanation.level = Level::beginner;
    const auto lists = introductions(explanation);
    EXPECT_THAT(words(lists[0]), testing::Contains("GPU"));
    EXPECT_THAT(words(lists[1]), testing::Contains("bubble"));
}

}  // namespace
}  // namespace sim::explain
