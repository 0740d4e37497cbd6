// Every call of an operator has a price: with tensors without dimensions, lists without tensors, missing arguments.
#include "tests/torch/calls.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using namespace sim;
using namespace sim::test;

// All names of arguments that prices read.
const std::vector<std::string> arguments{
    "self",      "input",       "weight",      "query",       "key",        "value",       "mat1",       "mat2",
    "batch1",    "batch2",      "grad_output", "grad",        "indices",    "index",       "source",     "target",
    "A",         "B",           "x1",          "x2",          "src",        "qkv_weight",  "offs",       "scale_a",
    "cum_seq_q", "state_steps", "dim",         "groups",      "transposed", "output_mask", "is_causal",  "embed_dim",
    "num_heads", "training",    "mode",        "hidden_size", "num_layers", "batch_sizes", "window_size"};

std::vector<std::string> names() {
    std::vector<std::string> all{"aten::unknown", "aten::_foreach_add_", "aten::_foreach_sqrt"};
    std::ifstream file(NDSIM_SOURCE_DIR "/tests/torch/data/cuda_operators.txt");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with('#')) {
            all.push_back("aten::" + line.substr(0, line.find(' ')));
        }
    }
    return all;
}

void expect_prices(const Given& given, const Given& result) {
    for (const bool is_compiled : {false, true}) {
        Shop shop;
        shop.list.is_compiled = is_compiled;
        for (const std::string& name : names()) {
            for (const auto& [label, time] : shop.buy({.name = name, .arguments = arguments},
                                                      std::vector<Given>(arguments.size(), given), {result})) {
                ASSERT_GT(time, 0) << name;
            }
        }
        for (const auto& kernel : shop.list.flush()) {
            ASSERT_GT(kernel.time.count(), 0);
        }
    }
}

TEST(PriceOfAnything, IsThereWithoutArguments) {
    expect_prices(None{}, None{});
}

TEST(PriceOfAnything, IsThereForTensorsWithoutSides) {
    expect_prices(On{}, On{});
    expect_prices(On{.storage = 7}, None{});
}

TEST(PriceOfAnything, IsThereForTensorsWithoutElements) {
    expect_prices(On{.sizes = {4, 0, 3}}, On{.sizes = {0}});
}

TEST(PriceOfAnything, IsThereForTensorsOfAnySides) {
    for (const Integers& sizes : {Integers{1}, Integers{2, 3}, Integers{1, 1, 1}, Integers{2, 3, 5},
                                  Integers{3, 2, 7, 5}, Integers{2, 1, 3, 1, 2}}) {
        expect_prices(On{.sizes = sizes}, On{.sizes = sizes});
        expect_prices(On{.sizes = sizes, .type = seam::Type::other, .is_contiguous = false}, Lists{On{.sizes = sizes}});
    }
}

TEST(PriceOfAnything, IsThereForListsAndNumbers) {
    expect_prices(Lists{}, Lists{});
    expect_prices(Lists{On{}, On{.sizes = {0}}, On{.sizes = {5}}}, Lists{On{}});
    expect_prices(std::int64_t{0}, On{.sizes = {4}});
    expect_prices(Integers{}, On{.sizes = {4}});
    expect_prices(Integers{-1, 9, 0}, On{.sizes = {4}});
    expect_prices(std::int64_t{-5}, On{.sizes = {4, 4}});
}

}  // namespace
