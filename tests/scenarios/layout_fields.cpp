// The switches of a layout are told once: options, JSON, its schema and axes of searches have all of them.
#include "libsim/training/layout_fields.hpp"

#include "libsim/config/text_file.hpp"
#include "libsim/predict/json.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/search/space.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace {

using namespace sim::training;

const std::string schema_file = NDSIM_SOURCE_DIR "/tools/schemas/common.schema.json";

struct Type {
    const LayoutField& field;
    std::string operator()(const WholeField&) const { return "\"integer\""; }
    std::string operator()(const ToggleField&) const { return "\"boolean\""; }
    std::string operator()(const NameField&) const { return "\"string\""; }
    std::string operator()(const TextField&) const {
        return field.shown != nullptr ? "\"string\"" : "[\"string\", \"null\"]";
    }
};

// The definition of a layout as the schema has it.
std::string definition() {
    std::string required;
    std::string properties;
    int count = 0;
    const auto add = [&](const std::string& key, const std::string& type, const std::string& what) {
        constexpr int in_a_line = 6;
        required += count == 0 ? "" : count % in_a_line == 0 ? ",\n        " : ", ";
        required += fmt::format("\"{}\"", key);
        properties += fmt::format("{}        \"{}\": {{\"type\": {}, \"description\": \"{}\"}}",
                                  count == 0 ? "" : ",\n", key, type, what);
        ++count;
    };
    for (const LayoutField& field : layout_fields()) {
        add(field.key(), std::visit(Type{field}, field.kind), field.what);
        if (*field.also != '\0') {
            add(field.also, std::visit(Type{field}, field.kind),
                fmt::format("The same as {}, by its name from before keys were options.", field.key()));
        }
    }
    return fmt::format(
        "    \"layout\": {{\n      \"type\": \"object\",\n      \"description\": \"How the step is spread over the "
        "GPUs; the "
        "keys are the options' names, with _ for -.\",\n      \"additionalProperties\": false,\n      \"required\": "
        "[\n      "
        "  {}\n      ],\n      \"properties\": {{\n{}\n      }}\n    }},\n",
        required, properties);
}

// After a change that is meant, `tools/schemas.sh` writes the schema's part again.
TEST(LayoutFields, AreWhatTheSchemaSays) {
    const std::string text = sim::config::read_text(schema_file, "a schema", 1 << 20);
    const std::size_t begin = text.find("    \"layout\": {\n");
    ASSERT_NE(begin, std::string::npos);
    const std::string last = "\n    },\n";
    const std::size_t end = text.find(last, begin) + last.size();
    if (std::getenv("NDSIM_WRITE_SCHEMAS") != nullptr) {
        std::ofstream(schema_file) << text.substr(0, begin) + definition() + text.substr(end);
        return;
    }
    EXPECT_EQ(text.substr(begin, end - begin), definition()) << "where this is meant: tools/schemas.sh";
}

TEST(LayoutFields, AreOptionsAndKeysOfJsonByOneName) {
    sim::predict::TrainingOptions options;
    const auto rows = sim::predict::training_rows(options);
    const nlohmann::ordered_json json = sim::predict::json_of(Layout{});
    for (const LayoutField& field : layout_fields()) {
        EXPECT_NE(sim::config::find_row(rows, field.option), nullptr) << field.option;
        EXPECT_TRUE(json.contains(field.key())) << field.key();
    }
    EXPECT_EQ(json["offload_layers"], json["offloaded_layers"]);
    EXPECT_EQ(json.size(), layout_fields().size() + 1);
}

// Two layouts that differ in anything differ in a field.
TEST(LayoutFields, LeaveNoMemberOfALayoutOut) {
    const auto equal = [](const Layout& a, const Layout& b) {
        for (const LayoutField& field : layout_fields()) {
            if (value_of(field, a) != value_of(field, b)) {
                return false;
            }
        }
        return true;
    };
    sim::predict::TrainingOptions options;
    const auto rows = sim::predict::training_rows(options);
    for (const LayoutField& field : layout_fields()) {
        options.layout = {};
        const auto* const whole = std::get_if<WholeField>(&field.kind);
        const auto* const toggle = std::get_if<ToggleField>(&field.kind);
        const auto* const name = std::get_if<NameField>(&field.kind);
        const std::string now = option_text(value_of(field, options.layout));
        const std::string other = whole != nullptr    ? (now == "1" ? "2" : "1")
                                  : toggle != nullptr ? (now == "on" ? "off" : "on")
                                  : name != nullptr   ? name->names().back()
                                                      : (field.shown != nullptr ? "mlp" : "3,4");
        const auto& row = sim::config::row_named(rows, field.option);
        sim::config::set_option(row, field.option, sim::config::value_of_text(row, other));
        EXPECT_EQ(option_text(value_of(field, options.layout)), other) << field.option;
        EXPECT_FALSE(equal(options.layout, Layout{})) << field.option;
    }
}

TEST(LayoutFields, HaveEveryAxisOfASearch) {
    std::set<std::string> options;
    for (const sim::search::PlanAxis& axis : sim::search::plan_axes()) {
        Layout layout;
        axis.in(layout) = 3;
        EXPECT_EQ(option_text(value_of(layout_field(axis.option), layout)), "3");
        options.insert(axis.option);
    }
    EXPECT_EQ(options.size(), 9U);
}

}  // namespace
