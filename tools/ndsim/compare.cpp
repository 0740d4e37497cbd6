// ndsim compare: two results side by side, what makes the difference, and why.
#include "libsim/config/errors.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/compared_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

struct CompareOptions {
    std::string first;
    std::string second;
    command_line::Outputs outputs;
};

const command_line::Executable compare_command{
    .name = "ndsim compare",
    .summary =
        "Two results of --json side by side: where the time of each went, what makes the difference, and what was "
        "asked "
        "for differently. Both are of scenarios, or both of ndsim train.",
    .examples = {"ndsim compare a.json b.json           # what changed, and why",
                 "ndsim compare a.json b.json --json    # for a script"},
};

std::vector<config::OptionRow> option_rows(CompareOptions& options) {
    std::vector<config::OptionRow> rows{
        config::as_argument({"A", "", "the result to start from", config::text(options.first)}),
        config::as_argument({"B", "", "the result that is compared with it", config::text(options.second)})};
    const std::vector<config::OptionRow> outputs = command_line::output_rows(
        options.outputs,
        {.json = "print one JSON object instead of the table", .table = "a line for each part of the time"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

struct Changed {
    std::string name;
    std::string from;  // empty: it is not there
    std::string to;
};

struct Comparison {
    ComparedRun a;
    ComparedRun b;
    std::vector<Changed> changed;

    double difference() const { return b.seconds - a.seconds; }
};

std::vector<Changed> changes(const ComparedRun& a, const ComparedRun& b) {
    const auto value = [](const ComparedRun& run, const std::string& name) {
        const auto found = std::find_if(run.settings.begin(), run.settings.end(),
                                        [&](const auto& setting) { return setting.first == name; });
        return found == run.settings.end() ? std::string() : found->second;
    };
    std::vector<Changed> result;
    for (const auto& [name, from] : a.settings) {
        if (const std::string to = value(b, name); to != from) {
            result.push_back({name, from, to});
        }
    }
    for (const auto& [name, to] : b.settings) {
        if (value(a, name).empty() && !to.empty()) {
            result.push_back({name, "", to});
        }
    }
    return result;
}

std::string percent_of(double difference, double whole) {
    return whole == 0 ? "-" : fmt::format("{:+.1f} %", 100 * difference / whole);
}

// "dp 4 -> 8, tp 2 -> 1": the first few.
std::string what_changed(const std::vector<Changed>& changed) {
    constexpr std::size_t most = 4;
    std::vector<std::string> words;
    for (const Changed& one : changed) {
        if (words.size() == most) {
            words.push_back(fmt::format("{} more", changed.size() - most));
            break;
        }
        words.push_back(fmt::format("{} {} -> {}", one.name, one.from.empty() ? "none" : shortened(one.from, 30),
                                    one.to.empty() ? "none" : shortened(one.to, 30)));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

// "B takes 2.10 s (6.2 %) less than A: exposed communication -2.50 s, bubble +0.40 s; asked for: dp 4 -> 8."
std::string sentence(const Comparison& comparison) {
    const double difference = comparison.difference();
    const std::string asked = comparison.changed.empty() ? "nothing was asked for differently"
                                                         : "changed: " + what_changed(comparison.changed);
    // A billionth of the time is a last digit.
    if (std::abs(difference) <= 1e-9 * std::max(comparison.a.seconds, comparison.b.seconds)) {
        return fmt::format("A and B take the same time; {}.", asked);
    }
    const auto before = comparison.a.parts();
    const auto after = comparison.b.parts();
    std::vector<std::pair<double, ComparedPart>> causes;
    for (std::size_t i = 0; i < compared_parts; ++i) {
        if (std::abs(after[i] - before[i]) >= 0.01 * std::abs(difference)) {
            causes.emplace_back(after[i] - before[i], static_cast<ComparedPart>(i));
        }
    }
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& x, const auto& y) { return std::abs(x.first) > std::abs(y.first); });
    std::vector<std::string> words;
    for (const auto& [change, part] : causes) {
        words.push_back(fmt::format("{} {:+.4g} s", title_of(part), change));
    }
    return fmt::format("B takes {:.4g} s ({:.1f} %) {} than A: {}; {}.", std::abs(difference),
                       100 * std::abs(difference) / comparison.a.seconds, difference < 0 ? "less" : "more",
                       fmt::join(words, ", "), asked);
}

report::Table rows_of(const Comparison& comparison) {
    report::Table table{.columns = {{"part", report::Cells::words},
                                    {"group", report::Cells::words},
                                    {"a_seconds"},
                                    {"b_seconds"},
                                    {"difference_seconds"}},
                        .rows = {}};
    for (std::size_t i = 0; i < comparison.a.lines.size(); ++i) {
        const ComparedLine& a = comparison.a.lines[i];
        const double b = comparison.b.lines[i].seconds;
        table.rows.push_back({a.name, title_of(a.part), fmt::format("{:.12g}", a.seconds), fmt::format("{:.12g}", b),
                              fmt::format("{:.12g}", b - a.seconds)});
    }
    return table;
}

report::TextRow row_of(const std::string& name, double a, double b, double whole) {
    return {{name, fmt::format("{:.6g}", a), fmt::format("{:.6g}", b), fmt::format("{:+.6g}", b - a),
             percent_of(b - a, whole)}};
}

std::string text_of(const Comparison& comparison) {
    const ComparedRun& a = comparison.a;
    const ComparedRun& b = comparison.b;
    report::TextTable table{
        .columns = {{"seconds, mean over the ranks", report::Align::left}, {"A"}, {"B"}, {"B - A"}, {"of A"}}};
    for (std::size_t i = 0; i < a.lines.size(); ++i) {
        if (a.lines[i].seconds != 0 || b.lines[i].seconds != 0) {
            table.rows.push_back(row_of(a.lines[i].name, a.lines[i].seconds, b.lines[i].seconds, a.seconds));
        }
    }
    table.rows.push_back(row_of("all", a.seconds, b.seconds, a.seconds));
    if (!comparison.changed.empty()) {
        table.rows.emplace_back();
    }
    for (const Changed& one : comparison.changed) {
        table.rows.push_back(
            {{one.name},
             fmt::format("{} -> {}", one.from.empty() ? "none" : one.from, one.to.empty() ? "none" : one.to)});
    }
    return fmt::format("A  {}  ({})\nB  {}  ({})\n\n", a.name, a.file, b.name, b.file) + text_of(table) + "\n" +
           sentence(comparison) + "\n";
}

std::string json_of(const Comparison& comparison) {
    using Json = nlohmann::ordered_json;
    Json parts = Json::object();
    const auto before = comparison.a.parts();
    const auto after = comparison.b.parts();
    for (std::size_t i = 0; i < compared_parts; ++i) {
        parts[title_of(static_cast<ComparedPart>(i))] = {
            {"a_seconds", before[i]}, {"b_seconds", after[i]}, {"difference_seconds", after[i] - before[i]}};
    }
    Json changed = Json::object();
    for (const Changed& one : comparison.changed) {
        changed[one.name] = {{"a", one.from}, {"b", one.to}};
    }
    const Json report{{"command", "compare"},
                      {"a", {{"file", comparison.a.file}, {"name", comparison.a.name}}},
                      {"b", {{"file", comparison.b.file}, {"name", comparison.b.name}}},
                      {"a_seconds", comparison.a.seconds},
                      {"b_seconds", comparison.b.seconds},
                      {"difference_seconds", comparison.difference()},
                      {"parts", parts},
                      {"changed", changed},
                      {"sentence", sentence(comparison)}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_compare(int argc, const char* const* argv) {
    CompareOptions options;
    if (!command_line::take_options(compare_command, option_rows(options), argc, argv)) {
        return done;
    }
    command_line::check_outputs(options.outputs);
    Comparison comparison{.a = read_run(options.first), .b = read_run(options.second), .changed = {}};
    if (comparison.a.is_prediction != comparison.b.is_prediction) {
        throw UsageError(fmt::format("{} is of {} and {} of {}; both must be of the same", options.first,
                                     comparison.a.is_prediction ? "ndsim train" : "a scenario", options.second,
                                     comparison.b.is_prediction ? "ndsim train" : "a scenario"));
    }
    comparison.changed = changes(comparison.a, comparison.b);
    command_line::write_outputs(options.outputs, {.text = [&] { return text_of(comparison); },
                                                  .json = [&] { return json_of(comparison); },
                                                  .table = [&] { return rows_of(comparison); }});
    return done;
}

}  // namespace sim::tools
