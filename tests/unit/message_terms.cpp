#include "libsim/message_terms.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace sim;

TEST(MessageTerms, MayEachBeLeftOut) {
    EXPECT_EQ(terms_of().label, "");
    EXPECT_FALSE(terms_of().size);
    EXPECT_EQ(terms_of().tag, Tag{0});
    EXPECT_EQ(terms_of("label").label, "label");
    EXPECT_EQ(terms_of(100_MB).size, Size{100_MB});
    EXPECT_EQ(terms_of(Units{2}, Tag{7}).size, Size{Units{2}});
    EXPECT_EQ(terms_of(Units{2}, Tag{7}).tag, Tag{7});
    EXPECT_EQ(terms_of("label", Tag{7}).label, "label");
    EXPECT_EQ(terms_of("label", Tag{7}).tag, Tag{7});
}

TEST(MessageTerms, AreWhatConvertsToThem) {
    const std::string label = "label";
    const std::optional<Size> size = Size{1_KB};
    const MessageTerms all = terms_of(label, size, Tag{1});
    EXPECT_EQ(all.label, "label");
    EXPECT_EQ(all.size, Size{1_KB});
    EXPECT_EQ(all.tag, Tag{1});
}

TEST(MessageTerms, HaveAnOrder) {
    EXPECT_TRUE((terms_are_in_order<std::string, Bytes, Tag>()));
    EXPECT_FALSE((terms_are_in_order<Bytes, std::string>()));
    EXPECT_FALSE((terms_are_in_order<Tag, Tag>()));
}

}  // namespace
