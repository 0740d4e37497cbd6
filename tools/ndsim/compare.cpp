// ndsim compare: two results side by side, what makes the difference, and why.
#include "libsim/report/page.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/compared_run.hpp"
#include "tools/ndsim/run_again.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

constexpr const char* page_option = "report";

struct CompareOptions {
    std::string first;
    std::string second;
    command_line::Outputs outputs;
};

const command_line::Executable compare_command{
    .name = "ndsim compare",
    .summary =
        "Two results of --json side by side: where the time of each went, what makes the difference, and what was "
        "asked for differently. Both are of scenarios, or both of ndsim train.",
    .examples = {"ndsim compare a.json b.json                       # what changed, and why",
                 "ndsim compare a.json b.json --json                # for a script",
                 "ndsim compare a.json b.json --report page.html    # both timelines on one time axis"},
};

std::vector<config::OptionRow> option_rows(CompareOptions& options) {
    std::vector<config::OptionRow> rows{
        config::as_argument({"A", "", "the result to start from", config::file(options.first)}),
        config::as_argument({"B", "", "the result that is compared with it", config::file(options.second)})};
    const std::vector<config::OptionRow> outputs = command_line::output_rows(
        options.outputs,
        {.json = "print one JSON object instead of the table", .table = "a line for each part of the time"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    // This page shows two timelines, where those of other commands show one.
    rows.push_back(config::writing(
        {page_option, "FILE.html", "a page for the browser: both timelines, for which the runs are done again",
         config::Text{[&outputs = options.outputs](const std::string& file) { outputs[page_option] = file; },
                      {.path = Known::Path::file}}}));
    return rows;
}

// What is compared, and how.
struct Compared {
    ComparedRun a;
    ComparedRun b;
    report::Comparison comparison;
};

std::string percent_of(double difference, double whole) {
    return whole == 0 ? "-" : fmt::format("{:+.1f} %", 100 * difference / whole);
}

report::Table rows_of(const Compared& both) {
    report::Table table{.columns = {{"part", report::Cells::words},
                                    {"group", report::Cells::words},
                                    {"a_seconds"},
                                    {"b_seconds"},
                                    {"difference_seconds"}},
                        .rows = {}};
    for (std::size_t i = 0; i < both.a.lines.size(); ++i) {
        const ComparedLine& a = both.a.lines[i];
        const double b = both.b.lines[i].seconds;
        table.rows.push_back({a.name, title_of(a.part), fmt::format("{:.12g}", a.seconds), fmt::format("{:.12g}", b),
                              fmt::format("{:.12g}", b - a.seconds)});
    }
    return table;
}

report::TextRow row_of(const std::string& name, double a, double b, double whole) {
    return {{name, fmt::format("{:.6g}", a), fmt::format("{:.6g}", b), fmt::format("{:+.6g}", b - a),
             percent_of(b - a, whole)}};
}

std::string text_of(const Compared& both) {
    const auto& [a, b, comparison] = both;
    report::TextTable table{
        .columns = {{"seconds, mean over the ranks", report::Align::left}, {"A"}, {"B"}, {"B - A"}, {"of A"}}};
    for (std::size_t i = 0; i < a.lines.size(); ++i) {
        if (a.lines[i].seconds != 0 || b.lines[i].seconds != 0) {
            table.rows.push_back(row_of(a.lines[i].name, a.lines[i].seconds, b.lines[i].seconds, a.seconds));
        }
    }
    table.rows.push_back(row_of(comparison.all.name, a.seconds, b.seconds, a.seconds));
    if (!comparison.changed.empty()) {
        table.rows.emplace_back();
    }
    for (const report::ComparedSetting& one : comparison.changed) {
        table.rows.push_back(
            {{one.name}, fmt::format("{} -> {}", one.a.empty() ? "none" : one.a, one.b.empty() ? "none" : one.b)});
    }
    return fmt::format("A  {}  ({})\nB  {}  ({})\n\n", a.name, a.file, b.name, b.file) + text_of(table) + "\n" +
           comparison.sentence + "\n";
}

std::string json_of(const Compared& both) {
    using Json = nlohmann::ordered_json;
    const auto& [a, b, comparison] = both;
    Json parts = Json::object();
    for (const report::ComparedTime& part : comparison.parts) {
        parts[part.name] = {{"a_seconds", part.a}, {"b_seconds", part.b}, {"difference_seconds", part.difference()}};
    }
    Json changed = Json::object();
    for (const report::ComparedSetting& one : comparison.changed) {
        changed[one.name] = {{"a", one.a}, {"b", one.b}};
    }
    const Json report{{"command", "compare"},
                      {"a", {{"file", a.file}, {"name", a.name}}},
                      {"b", {{"file", b.file}, {"name", b.name}}},
                      {"a_seconds", comparison.all.a},
                      {"b_seconds", comparison.all.b},
                      {"difference_seconds", comparison.all.difference()},
                      {"parts", parts},
                      {"changed", changed},
                      {"sentence", comparison.sentence}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// A timeline as one of two: with its letter, and the file that names it.
report::Timeline timeline_of(const char* letter, const ComparedRun& run) {
    report::Timeline timeline = run_again(run);
    timeline.title = fmt::format("{}: {}", letter, timeline.title);
    timeline.facts.insert(timeline.facts.begin(), {"file", run.file});
    return timeline;
}

void write_page_of(const Compared& both, const std::string& file) {
    const report::Timeline a = timeline_of("A", both.a);
    const report::Timeline b = timeline_of("B", both.b);
    const std::array<const report::Timeline*, 2> runs{&a, &b};
    command_line::write_output(
        file, [&](std::ostream& out) { report::write_page(out, runs, report::most_page_spans, &both.comparison); });
}

}  // namespace

int run_compare(int argc, const char* const* argv) {
    CompareOptions options;
    if (!command_line::take_options(compare_command, option_rows(options), argc, argv)) {
        return done;
    }
    command_line::check_outputs(options.outputs);
    Compared both{.a = read_run(options.first), .b = read_run(options.second), .comparison = {}};
    both.comparison = compared(both.a, both.b);
    if (const auto page = options.outputs.find(page_option); page != options.outputs.end()) {
        write_page_of(both, page->second);
    }
    command_line::write_outputs(options.outputs, {.text = [&] { return text_of(both); },
                                                  .json = [&] { return json_of(both); },
                                                  .table = [&] { return rows_of(both); }});
    return done;
}

}  // namespace sim::tools
