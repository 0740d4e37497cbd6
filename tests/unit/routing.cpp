// The number of nodes that a token goes to, by its model's routing rule.
#include "libsim/error.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/transformer.hpp"

#include <gtest/gtest.h>

namespace sim::training {

namespace {

constexpr Experts free_choice{.count = 256, .top_k = 8, .ffn = 2048};
constexpr Experts of_v3{.count = 256, .top_k = 8, .ffn = 2048, .groups = 8, .groups_per_token = 4};

// k uniform draws over m nodes reach m (1 - (1 - 1/m)^k) of them.
TEST(Routing, OfFreeChoiceReachesMostNodes) {
    EXPECT_DOUBLE_EQ(nodes_of_a_token(free_choice, 2), 2 * (1 - 1 / 256.0));
    EXPECT_DOUBLE_EQ(nodes_of_a_token({.count = 8, .top_k = 1, .ffn = 1}, 8), 1);
}

TEST(Routing, LimitedToFourOfEightNodesReachesNoMoreThanFour) {
    EXPECT_DOUBLE_EQ(nodes_of_a_token(of_v3, 8), 4 * (1 - 6561.0 / 65536));  // (3/4)^8
}

// A node of 16 has half a group: a token's four groups are on eight nodes.
TEST(Routing, OfGroupsOnTwoNodesEachReachesTwiceAsMany) {
    EXPECT_DOUBLE_EQ(nodes_of_a_token(of_v3, 16), 8 * (1 - 5764801.0 / 16777216));  // (7/8)^8
}

// Two nodes hold four groups each. Among 70 choices of a token's four groups, a node holds none in 1, one in 16, two in
// 36, three in 16, four in 1.
TEST(Routing, OfSeveralGroupsOnANodeDrawsTheGroupsFirst) {
    const double missed = (70 - (1 * 1.0 + 16 * 6561.0 / 65536 + 36 / 256.0 + 16 / 65536.0)) / 70;
    EXPECT_NEAR(nodes_of_a_token(of_v3, 2), 2 * missed, 1e-12);
}

TEST(Routing, WithoutGroupsThatDivideTheNodesIsFreeChoice) {
    EXPECT_DOUBLE_EQ(nodes_of_a_token(of_v3, 3), nodes_of_a_token(free_choice, 3));
}

TEST(Routing, ToGroupsThatCannotBeIsRefused) {
    const auto refusal = [](const Experts& experts) -> std::string {
        Transformer model = preset("deepseek-v3");
        model.experts = experts;
        try {
            check_transformer(model);
        } catch (const ProgramError& error) {
            return error.what();
        }
        return "no error";
    };
    Experts experts = preset("deepseek-v3").experts;
    EXPECT_EQ(refusal(experts), "no error");
    experts.groups_per_token = 9;
    EXPECT_NE(refusal(experts).find("experts.groups_per_token = 9 is more than experts.groups = 8"), std::string::npos);
    experts = {.count = 8, .top_k = 3, .ffn = 1, .groups = 4, .groups_per_token = 1};
    EXPECT_NE(refusal(experts).find("experts.groups_per_token = 1 has 2 experts, and experts.top_k = 3"),
              std::string::npos);
    experts = {.count = 8, .top_k = 3, .ffn = 1, .groups = 3, .groups_per_token = 2};
    EXPECT_NE(refusal(experts).find("experts.groups = 3 does not divide experts.count = 8"), std::string::npos);
}

}  // namespace

}  // namespace sim::training
