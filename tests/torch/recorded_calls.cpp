// Randomly drawn calls and recorded programs, with the prices of an earlier price list in Python, for every kind that
// both price alike. In a program each operator has the kernels that ended with it, except for a gradient of silu that
// now joins the chain that a product ended before it. Python had one share of the bandwidth for all kernels, no rows
// that are read several times, no sort in an embedding's gradient, and one version of attention: price_traffic.cpp and
// price_attention.cpp test these.
#include "tests/torch/recorded.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace {

using namespace sim;
using namespace sim::test;
using nlohmann::json;

training::Accelerator with_one_share(const char* machine) {
    training::Accelerator gpu = training::machine(machine).gpu;
    gpu.efficiency.stream_share = 0;
    gpu.efficiency.single_elements = 0;
    return gpu;
}

bool is_priced_anew(std::string_view name) {
    const bool reads_rows_several_times = name == "aten::native_layer_norm" || name.ends_with("softmax");
    return reads_rows_several_times || name == "aten::embedding_dense_backward" ||
           name.find("_cudnn_attention") != std::string_view::npos;
}

TEST(RecordedCalls, CostTheSamePicosecondsAsInPython) {
    const json record = recorded("prices.json");
    std::map<std::string, Shop> shops;
    for (const json& call : record.at("calls")) {
        const std::string machine = call.at("machine");
        Shop& shop = shops.try_emplace(machine, with_one_share(machine.c_str())).first->second;
        const Schema schema = schema_of(record.at("operators").at(call.at("op").get<std::size_t>()));
        if (is_priced_anew(schema.name)) {
            continue;
        }
        shop.list.tf32 = {.products = call.at("tf32").at(0), .convolutions = call.at("tf32").at(1)};
        const Sold kernels = shop.buy(schema, all_given(call.at("arguments")), all_given(call.at("results")));
        EXPECT_EQ(sum_of(kernels), call.at("picoseconds").get<std::int64_t>()) << schema.name << ": " << call;
    }
}

TEST(RecordedCalls, AreOfEachKindThatPythonKnew) {
    using torch::prices::Kind;
    std::set<Kind> kinds;
    const json record = recorded("prices.json");
    for (const json& op : record.at("operators")) {
        kinds.insert(torch::prices::kind_of(op.at("name").get<std::string>()));
    }
    // Python had no rule or a different one for these, so they have tests of their own.
    for (const Kind kind : {Kind::scaled_product, Kind::grouped_product, Kind::recurrence, Kind::recurrence_backward,
                            Kind::factorization, Kind::distances, Kind::transform, Kind::normalization,
                            Kind::normalization_backward, Kind::bags, Kind::pairs, Kind::sort, Kind::list_norms}) {
        EXPECT_TRUE(kinds.insert(kind).second);
    }
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(Kind::guessed) + 1);
}

TEST(RecordedPrograms, HaveTheSameChainsAsInPython) {
    const json record = recorded("chains.json");
    for (const json& program : record.at("programs")) {
        Shop shop(with_one_share("dgx-h100"));
        shop.list.is_compiled = true;
        std::int64_t at = 0;
        for (const json& step : program.at("steps")) {
            Sold found;
            if (step.contains("op")) {
                const Schema schema = schema_of(program.at("operators").at(step.at("op").get<std::size_t>()));
                found = shop.buy(schema, all_given(step.at("arguments")), all_given(step.at("results")));
            } else {
                found = sold(shop.list.flush());
            }
            ASSERT_EQ(found, step.at("kernels").get<Sold>()) << "step " << at << ": " << step;
            ++at;
        }
    }
}

}  // namespace
