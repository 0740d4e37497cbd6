// The tables know every operator that has a CUDA kernel in PyTorch's own tables (data/cuda_operators.py).
#include "tools/torch/prices/kind.hpp"
#include "tools/torch/prices/names/names.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace sim::torch::prices;

// The names, without the versions after them.
std::set<std::string> operators_with_a_kernel() {
    std::set<std::string> names;
    std::ifstream file(NDSIM_SOURCE_DIR "/tests/torch/data/cuda_operators.txt");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with('#')) {
            names.insert(line.substr(0, line.find(' ')));
        }
    }
    return names;
}

std::set<std::string> guessed_by_name() {
    std::set<std::string> names;
    for (const Names& row : names_of_guessed()) {
        std::istringstream text(row.names);
        for (std::string name; text >> name;) {
            names.insert(name);
        }
    }
    return names;
}

TEST(PriceKinds, AreThereForEachOperatorThatHasACudaKernel) {
    const auto names = operators_with_a_kernel();
    EXPECT_GT(names.size(), 700U);
    for (const std::string& name : names) {
        EXPECT_TRUE(known_kind("aten::" + name).has_value()) << name << " is in no table of tools/torch/prices/names";
    }
}

TEST(PriceKinds, AreGuessedForTheListedOperatorsAloneAndForNoneThatPyTorchHasNot) {
    const auto names = operators_with_a_kernel();
    const auto guessed = guessed_by_name();
    for (const std::string& name : names) {
        EXPECT_EQ(kind_of("aten::" + name) == Kind::guessed, guessed.contains(name)) << name;
    }
    for (const std::string& name : guessed) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST(PriceKinds, AreThoseOfTheNameWithoutItsUnderscore) {
    EXPECT_EQ(plain_name("aten::add_"), "add");
    EXPECT_EQ(plain_name("aten::__iand__"), "__iand__");
    EXPECT_EQ(plain_name("relu"), "relu");
    EXPECT_EQ(kind_of("aten::add_"), Kind::elementwise);
    EXPECT_EQ(kind_of("aten::__and__"), Kind::elementwise);
}

TEST(PriceKinds, OfAListAreThatOfItsNameAsOneKernelOfAnOptimizer) {
    EXPECT_EQ(kind_of("aten::_foreach_addcdiv_"), Kind::lists);
    EXPECT_EQ(kind_of("aten::_foreach_zero_"), Kind::lists);
    EXPECT_EQ(kind_of("aten::_foreach_norm"), Kind::list_norms);
    EXPECT_FALSE(known_kind("aten::_foreach_mm").has_value());
}

TEST(PriceKinds, OfOtherNamespacesAreNotThoseOfTheGpuButForWhatTheyHold) {
    EXPECT_EQ(kind_of("c10d::allreduce_"), Kind::view);
    EXPECT_EQ(kind_of("profiler::_record_function_enter"), Kind::view);
    EXPECT_EQ(kind_of("fsdp::split_with_sizes_copy"), Kind::move);
    EXPECT_EQ(kind_of("mine::kernel"), Kind::guessed);
    EXPECT_EQ(kind_of("aten::_some_operator_of_tomorrow"), Kind::guessed);
}

}  // namespace
