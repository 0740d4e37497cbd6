// A layout's switches have one definition: options, JSON, its schema and search axes have all of them.
#include "libsim/training/layout_fields.hpp"

#include "libsim/config/text_file.hpp"
#include "libsim/predict/records.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/search/space.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

namespace {

using namespace sim::training;

// Escaped for a cell of a Markdown table.
std::string with_backslashes(const std::string& text, std::string_view before) {
    std::string escaped;
    for (const char letter : text) {
        escaped += (before.find(letter) == std::string_view::npos ? "" : "\\") + std::string(1, letter);
    }
    return escaped;
}

// A table for each group of --help, with a row per switch: the option, and its text in --help.
std::string page_tables() {
    std::vector<std::string> groups;
    std::map<std::string, std::string> rows;
    for (const LayoutField& field : layout_fields()) {
        if (!rows.contains(field.group)) {
            groups.emplace_back(field.group);
        }
        rows[field.group] += fmt::format("| `--{} {}` | {} |\n", field.option, with_backslashes(field.takes, "|"),
                                         with_backslashes(field.help, "|*"));
    }
    std::string tables;
    for (const std::string& group : groups) {
        tables += fmt::format("{}**{}**\n\n| option | meaning, default |\n|---|---|\n{}", tables.empty() ? "" : "\n",
                              group, rows[group]);
    }
    return tables;
}

// After an intended change, `tools/schemas.sh` rewrites the table.
TEST(LayoutFields, AreTheTableOfTheirPage) {
    const std::string page = NDSIM_SOURCE_DIR "/docs/ndsim-train.md";
    const std::string first = "<!-- begin of the layout's switches: written by tools/schemas.sh -->\n";
    const std::string text = sim::config::read_text(page, "a page", 1 << 20);
    const std::size_t begin = text.find(first) + first.size();
    const std::size_t end = text.find("<!-- end of the layout's switches -->\n");
    ASSERT_LE(begin, end);
    if (std::getenv("NDSIM_WRITE_SCHEMAS") != nullptr) {
        std::ofstream(page) << text.substr(0, begin) + page_tables() + text.substr(end);
        return;
    }
    EXPECT_EQ(text.substr(begin, end - begin), page_tables()) << "where this is meant: tools/schemas.sh";
}

TEST(LayoutFields, AreOptionsAndKeysOfJsonByOneName) {
    sim::predict::TrainingOptions options;
    const auto rows = sim::predict::training_rows(options);
    const nlohmann::ordered_json json = sim::predict::layout_record().json(Layout{});
    for (const LayoutField& field : layout_fields()) {
        EXPECT_NE(sim::config::find_row(rows, field.option), nullptr) << field.option;
        EXPECT_EQ(json.contains(field.key()), !field.is_rare) << field.key();
    }
    EXPECT_EQ(json["offload_layers"], json["offloaded_layers"]);
    const auto rare = std::count_if(layout_fields().begin(), layout_fields().end(),
                                    [](const LayoutField& field) { return field.is_rare; });
    EXPECT_EQ(std::ssize(json), std::ssize(layout_fields()) - rare + 1);
    EXPECT_EQ(sim::predict::layout_record().json(Layout{.parallelism = {.dp = 8, .shard = 4}})["shard"], 4);
    EXPECT_EQ(sim::predict::layout_record().json(Layout{.adapters = {.rank = 16}})["lora_rank"], 16);
}

// Two layouts that differ at all differ in a field.
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
        const auto* const real = std::get_if<RealField>(&field.kind);
        const auto* const toggle = std::get_if<ToggleField>(&field.kind);
        const auto* const name = std::get_if<NameField>(&field.kind);
        const std::string now = option_text(value_of(field, options.layout));
        const std::string other = whole != nullptr    ? (now == "1" ? "2" : "1")
                                  : toggle != nullptr ? (now == "on" ? "off" : "on")
                                  : real != nullptr   ? "1.5"
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
    EXPECT_EQ(options.size(), 10U);
}

}  // namespace
