// Calls that were drawn, and programs that were run, and priced by the price list in Python that this one took the
// place of. Of every kind that both price alike; in a program each operator has the kernels that ended with it, but for
// a gradient of silu that now joins the chain that a product ended before it.
#include "tests/torch/recorded.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace {

using namespace sim;
using namespace sim::test;
using nlohmann::json;

TEST(RecordedCalls, CostTheSamePicosecondsAsInPython) {
    const json record = recorded("prices.json");
    std::map<std::string, Shop> shops;
    for (const json& call : record.at("calls")) {
        const std::string machine = call.at("machine");
        Shop& shop = shops.try_emplace(machine, machine.c_str()).first->second;
        const Schema schema = schema_of(record.at("operators").at(call.at("op").get<std::size_t>()));
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
    // Python had no rule for these, or another one: they have tests of their own.
    for (const Kind kind : {Kind::scaled_product, Kind::grouped_product, Kind::recurrence, Kind::recurrence_backward,
                            Kind::factorization, Kind::distances, Kind::transform, Kind::normalization,
                            Kind::normalization_backward, Kind::bags, Kind::sort, Kind::list_norms}) {
        EXPECT_TRUE(kinds.insert(kind).second);
    }
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(Kind::guessed) + 1);
}

TEST(RecordedPrograms, HaveTheSameChainsAsInPython) {
    const json record = recorded("chains.json");
    for (const json& program : record.at("programs")) {
        Shop shop;
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
