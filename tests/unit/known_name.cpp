// Names as typed by people.
#include "libsim/known_name.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

const std::vector<KnownName> models{{"gpt3-1.3b", 0},  {"gpt3-13b", 1},     {"llama3-8b", 2}, {"llama3.1-8b", 3},
                                    {"mistral-7b", 4}, {"mixtral-8x7b", 5}, {"llama3-70b", 6}};
const std::vector<KnownName> machines{{"p5.48xlarge", 0}, {"p5en.48xlarge", 1}, {"g6.xlarge", 2}, {"g6.48xlarge", 3},
                                      {"gcp-a3-mega", 4}, {"a3-megagpu-8g", 4}, {"rtx-4090", 5},  {"a40", 6},
                                      {"gb200", 7},       {"dgx-h100", 8}};

TEST(RowCalled, IgnoresCaseHyphensBlanksAndUnderscores) {
    EXPECT_EQ(row_called("llama-3-8b", models), 2);
    EXPECT_EQ(row_called("Llama_3.1_8B", models), 3);
    EXPECT_EQ(row_called("RTX 4090", machines), 5);
    EXPECT_EQ(row_called("dgxh100", machines), 8);
    EXPECT_EQ(row_called("A3-MegaGPU-8G", machines), 4);
    EXPECT_EQ(row_called("p5-48xlarge", machines), 0);
    EXPECT_EQ(row_called("", machines), std::nullopt);
    EXPECT_EQ(row_called("-", machines), std::nullopt);
}

// Without its decimal point, 1.3 would be 13.
TEST(RowCalled, KeepsDecimalPointsWhereTheyTellNamesApart) {
    EXPECT_EQ(row_called("GPT-3-1.3B", models), 0);
    EXPECT_EQ(row_called("gpt-3-13b", models), 1);
    EXPECT_EQ(row_called("llama31-8b", models), 3);
}

TEST(RowWithWords, IsTheOnlyOneThatHasThem) {
    EXPECT_EQ(row_with_words("p5", machines), 0);
    EXPECT_EQ(row_with_words("p5en", machines), 1);
    EXPECT_EQ(row_with_words("a3 mega", machines), 4);
    EXPECT_EQ(row_with_words("4090", machines), 5);
    EXPECT_EQ(row_with_words("p-5", machines), 0);
    EXPECT_EQ(row_with_words("g6", machines), std::nullopt);
    EXPECT_EQ(row_with_words("p", machines), std::nullopt);
    EXPECT_EQ(row_with_words("", machines), std::nullopt);
}

TEST(NameHint, ListsAllThatHaveTheWords) {
    EXPECT_EQ(name_hint("g6", machines), "; it may be g6.xlarge or g6.48xlarge");
    EXPECT_EQ(name_hint("8b", models), "; it may be llama3-8b or llama3.1-8b");
}

TEST(NameHint, ForgivesSlipsOfLettersAndLostDigits) {
    EXPECT_EQ(name_hint("LLama3-8", models), "; did you mean llama3-8b?");
    EXPECT_EQ(name_hint("mixtrl-8x7b", models), "; did you mean mixtral-8x7b?");
    EXPECT_EQ(name_hint("dgx-h10", machines), "; did you mean dgx-h100?");
    EXPECT_EQ(name_hint("rtx-4900", machines), "; did you mean rtx-4090?");
}

TEST(NameHint, DoesNotProposeAnotherProduct) {
    for (const char* other : {"trn2.48xlarge", "a4x", "rtx-6090", "gb10", "p4d"}) {
        EXPECT_EQ(name_hint(other, machines), "") << other;
    }
}

}  // namespace
