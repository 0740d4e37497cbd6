#include "libsim/kernel/parts/joinables.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::kernel;

void join(Joinables& all, AsyncId id) {
    all.note_joined(*all.find(id));
    all.drop_joined();
}

TEST(Joinables, AreFoundByTheirNumberUntilTheyAreJoined) {
    Joinables all;
    std::vector<AsyncId> ids;
    for (std::uint32_t i = 0; i < 10; ++i) {
        ids.push_back(all.add({.op_number = i}));
    }
    for (const std::size_t joined : {3U, 0U, 9U, 4U, 5U, 6U, 1U}) {
        join(all, ids[joined]);
        EXPECT_EQ(all.find(ids[joined]), nullptr);
    }
    ids.push_back(all.add({.op_number = 10}));
    for (const std::size_t open : {2U, 7U, 8U, 10U}) {
        ASSERT_NE(all.find(ids[open]), nullptr);
        EXPECT_EQ(all.find(ids[open])->op_number, open);
    }
    EXPECT_EQ(all.find(AsyncId{11}), nullptr);
    EXPECT_EQ(all.find(AsyncId{UINT32_MAX}), nullptr);
}

TEST(Joinables, OneThatStaysOpenHoldsNoOthers) {
    Joinables all;
    const AsyncId oldest = all.add({.op_number = 7});
    std::size_t most = 0;
    for (int i = 0; i < 100'000; ++i) {
        join(all, all.add({}));
        most = std::max(most, all.all().size());
    }
    EXPECT_LE(most, 3U);
    EXPECT_EQ(all.find(oldest)->op_number, 7U);
}

TEST(Joinables, ThatAreForgottenHaveNoNameButEnd) {
    Joinables all;
    const AsyncId id = all.add({});
    all.find(id)->forgotten = true;
    EXPECT_EQ(all.find_named(id), nullptr);
    EXPECT_NE(all.find(id), nullptr);
}

}  // namespace
