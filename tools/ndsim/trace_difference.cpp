#include "libsim/report/amounts.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace trace_files;

namespace {

constexpr std::size_t most_difference_rows = 12;

std::string signed_time(double seconds) {
    return fmt::format("{}{}", seconds < 0 ? "-" : "+", report::time_text(std::abs(seconds)));
}

constexpr int widest_changed_label = 60;

report::TextRow difference_row(double first, double second, std::string_view name) {
    const std::string change = first > 0 ? report::change_text(second / first - 1) : "";
    return {
        {report::time_text(first), report::time_text(second), signed_time(second - first), change, std::string(name)}};
}

std::string side_text(const char* column, const DiffSide& side) {
    return fmt::format("{}: {}, {}{}\n", column, side.name,
                       report::number_text(static_cast<std::int64_t>(side.shares.ranks.size()), "rank", "ranks"),
                       side.steps > 1 ? fmt::format(", one of {} steps", side.steps) : "");
}

nlohmann::ordered_json side_json(const DiffSide& side, double seconds) {
    return {{"file", side.name}, {"ranks", side.shares.ranks.size()}, {"steps", side.steps}, {"seconds", seconds}};
}

}  // namespace

std::string text_of(const TraceDifference& difference) {
    const DiffSide& first = difference.first;
    const DiffSide& second = difference.second;
    report::TextTable table{.columns = {{"A"}, {"B"}, {"B - A"}, {"change"}, {"", report::Align::left}}};
    const auto add = [&](const auto& one, std::string_view name) {
        table.rows.push_back(difference_row(one.first, one.second, name));
    };
    add(difference.whole, difference.whole.name);
    for (const PartDifference& part : difference.parts) {
        add(part, part.name);
    }
    if (!difference.categories.empty()) {
        table.rows.insert(table.rows.end(), {{}, {{}, "time of the step by category:"}});
    }
    for (const CategoryDifference& one : difference.categories) {
        if (one.first != 0 || one.second != 0) {
            add(one, title_of(one.category));
        }
    }
    if (!difference.labels.empty()) {
        table.rows.insert(table.rows.end(), {{}, {{}, "exposed time by label:"}});
    }
    for (std::size_t i = 0; i < std::min(difference.labels.size(), most_difference_rows); ++i) {
        const LabelDifference& label = difference.labels[i];
        const std::string name = report::terminal_text(label.label, widest_changed_label);
        table.rows.push_back(
            difference_row(label.first, label.second, fmt::format("{} ({})", name, name_of(label.activity))));
    }
    if (difference.labels.size() > most_difference_rows) {
        table.rows.push_back({{},
                              fmt::format("… {} more labels; --csv and --json have all",
                                          difference.labels.size() - most_difference_rows)});
    }
    return side_text("A", first) + side_text("B", second) + "\n" + text_of(table) +
           "\nTimes are means over the ranks.\n" + difference.cause + "\n";
}

std::string json_of(const TraceDifference& difference) {
    nlohmann::ordered_json object{{"a", side_json(difference.first, difference.whole.first)},
                                  {"b", side_json(difference.second, difference.whole.second)}};
    object["parts"] = nlohmann::ordered_json::array();
    for (const PartDifference& part : difference.parts) {
        object["parts"].push_back({{"part", part.name},
                                   {"a_seconds", part.first},
                                   {"b_seconds", part.second},
                                   {"difference_seconds", part.by()}});
    }
    object["budget"] = nlohmann::ordered_json::object();
    for (const CategoryDifference& one : difference.categories) {
        object["budget"][name_of(one.category)] = {
            {"a_seconds", one.first}, {"b_seconds", one.second}, {"difference_seconds", one.by()}};
    }
    object["labels"] = nlohmann::ordered_json::array();
    for (const LabelDifference& label : difference.labels) {
        object["labels"].push_back({{"label", label.label},
                                    {"activity", name_of(label.activity)},
                                    {"a_seconds", label.first},
                                    {"b_seconds", label.second},
                                    {"difference_seconds", label.by()}});
    }
    object["cause"] = difference.cause;
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

report::Table table_of(const TraceDifference& difference) {
    report::Table table{.columns = {{"of", report::Cells::names},
                                    {"name", report::Cells::words},
                                    {"a_seconds"},
                                    {"b_seconds"},
                                    {"difference_seconds"}},
                        .rows = {}};
    const auto add = [&](std::string_view of, std::string_view name, double a, double b) {
        table.rows.push_back({std::string(of), std::string(name), fmt::format("{:.12g}", a), fmt::format("{:.12g}", b),
                              fmt::format("{:.12g}", b - a)});
    };
    add("run", difference.whole.name, difference.whole.first, difference.whole.second);
    for (const PartDifference& part : difference.parts) {
        add("part", part.name, part.first, part.second);
    }
    for (const CategoryDifference& one : difference.categories) {
        add("category", title_of(one.category), one.first, one.second);
    }
    for (const LabelDifference& label : difference.labels) {
        add(name_of(label.activity), label.label, label.first, label.second);
    }
    return table;
}

}  // namespace sim::tools
