#include "libsim/network/bus_bandwidth.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

TEST(BusFactor, IsThatOfNcclTests) {
    EXPECT_EQ(bus_factor(CollectiveKind::all_reduce, 8), 2 * 7.0 / 8);
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                      CollectiveKind::all_to_all, CollectiveKind::gather, CollectiveKind::scatter}) {
        EXPECT_EQ(bus_factor(kind, 8), 7.0 / 8) << name_of(kind);
    }
    for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::reduce}) {
        EXPECT_EQ(bus_factor(kind, 8), 1) << name_of(kind);
    }
}

TEST(BusFactor, IsThatOfAnAllReduceForABarrier) {
    EXPECT_EQ(bus_factor(CollectiveKind::barrier, 4), bus_factor(CollectiveKind::all_reduce, 4));
}

}  // namespace
