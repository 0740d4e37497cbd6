#include "libsim/report/amounts.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/trace/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace trace_files;
using namespace report;
using namespace report::keys;

namespace {

constexpr std::size_t most_difference_rows = 12;

constexpr int widest_changed_label = 60;

TextRow difference_row(double first, double second, std::string_view name) {
    const std::string change = first > 0 ? change_text(second / first - 1) : "";
    return {{time_text(first), time_text(second), signed_time_text(second - first), change, std::string(name)}};
}

std::string side_text(const char* column, const DiffSide& side) {
    return fmt::format("{}: {}, {}{}\n", column, side.name,
                       number_text(static_cast<std::int64_t>(side.shares.ranks.size()), "rank", "ranks"),
                       side.steps > 1 ? fmt::format(", one of {} steps", side.steps) : "");
}

// The seconds in both traces, and their difference.
template <class T>
std::vector<Field<T>> difference_fields() {
    return {number<T>("a_seconds", "Seconds in a, the mean over the ranks.", &T::first),
            number<T>("b_seconds", "Seconds in b, the mean over the ranks.", &T::second),
            number<T>("difference_seconds", "Seconds that b has more than a.", &T::by)};
}

// A trace, with the seconds that are compared.
struct ComparedTrace {
    const DiffSide* side;
    double seconds;
};

const report::Record<ComparedTrace>& side_record() {
    using Side = ComparedTrace;
    static const report::Record<Side> record(
        "The trace to start from.",
        {name<Side>("file", "The trace.", [](const Side& of) { return of.side->name; }),
         whole<Side>("ranks", "Ranks of the trace.", [](const Side& of) { return of.side->shares.ranks.size(); }),
         whole<Side>("steps", "Training steps that it marks.", [](const Side& of) { return of.side->steps; }),
         number<Side>("seconds", "Seconds of the whole run, or of a step.", &Side::seconds)});
    return record;
}

const report::Record<PartDifference>& part_record() {
    static const report::Record<PartDifference> record(
        "One part.",
        joined<PartDifference>({{free_text<PartDifference>("part", "Part of the time.", &PartDifference::name)},
                                difference_fields<PartDifference>()}));
    return record;
}

const report::Record<CategoryDifference>& category_record() {
    static const report::Record<CategoryDifference> record("The time of one category.",
                                                           difference_fields<CategoryDifference>());
    return record;
}

const report::Record<LabelDifference>& changed_label_record() {
    using Label = LabelDifference;
    static const report::Record<Label> record(
        "Spans with one label.",
        joined<Label>({{free_text<Label>("label", "Label of the spans.", &Label::label),
                        name<Label>("activity", "Activity of its time, such as compute or communication.",
                                    [](const Label& of) { return name_of(of.activity); })},
                       difference_fields<Label>()}));
    return record;
}

std::vector<std::pair<std::string, CategoryDifference>> budget_of(const TraceDifference& difference) {
    std::vector<std::pair<std::string, CategoryDifference>> budget;
    for (const CategoryDifference& one : difference.categories) {
        budget.emplace_back(name_of(one.category), one);
    }
    return budget;
}

const report::Record<TraceDifference>& difference_record() {
    using All = TraceDifference;
    constexpr const char* side = "#/definitions/side";
    static const report::Record<All> record(
        "Two traces side by side.",
        {part<All>(
             "a", side_record(),
             [](const All& of) {
                 return ComparedTrace{&of.first, of.whole.first};
             },
             side),
         described(part<All>(
                       "b", side_record(),
                       [](const All& of) {
                           return ComparedTrace{&of.second, of.whole.second};
                       },
                       side),
                   "The trace to compare with it."),
         list_of<All>("parts", "A row for each part of the time; for two predicted steps the parts of ndsim compare.",
                      part_record(), &All::parts),
         map_of<All>("budget", "The time by category of ndsim train; empty unless both traces are of predicted steps.",
                     "CATEGORY", category_record(), budget_of),
         list_of<All>("labels", "A row for each label, the largest difference first.", changed_label_record(),
                      &All::labels),
         free_text<All>("cause", "The cause of the difference, in one sentence.", &All::cause)});
    return record;
}

// A row of the table; rows are of several kinds.
struct DifferenceRow {
    std::string_view of;
    std::string name;
    double first;
    double second;
    double by() const { return second - first; }
};

const report::Record<DifferenceRow>& difference_columns() {
    using Row = DifferenceRow;
    static const report::Record<Row> record(
        "A row.",
        joined<Row>({{name<Row>("of", "run, part, category of a predicted step, or the activity of a label.", &Row::of),
                      free_text<Row>("name", "Name of the part, or the label.", &Row::name)},
                     difference_fields<Row>()}));
    return record;
}

std::vector<DifferenceRow> difference_rows(const TraceDifference& difference) {
    std::vector<DifferenceRow> rows;
    const auto add = [&](std::string_view of, std::string_view name, const auto& one) {
        rows.push_back({of, std::string(name), one.first, one.second});
    };
    add("run", difference.whole.name, difference.whole);
    for (const PartDifference& part : difference.parts) {
        add("part", part.name, part);
    }
    for (const CategoryDifference& one : difference.categories) {
        add("category", title_of(one.category), one);
    }
    for (const LabelDifference& label : difference.labels) {
        add(name_of(label.activity), label.label, label);
    }
    return rows;
}

}  // namespace

std::string text_of(const TraceDifference& difference) {
    const DiffSide& first = difference.first;
    const DiffSide& second = difference.second;
    TextTable table{.columns = {{"A"}, {"B"}, {"B - A"}, {"change"}, {"", Align::left}}};
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
        const std::string name = terminal_text(label.label, widest_changed_label);
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
    return json_line(difference_record().json(difference));
}

Table table_of(const TraceDifference& difference) {
    return difference_columns().table(difference_rows(difference));
}

SchemaText trace_diff_schema() {
    Json schema = difference_record().schema();
    schema["definitions"] = {{"side", side_record().schema()}};
    return schema_of_result("trace_diff", "What ndsim trace diff prints with --json", schema);
}

SchemaText trace_columns() {
    return columns_of_program("ndsim trace",
                              {summary_columns(), {.columns = difference_columns().columns(), .when = "diff"}});
}

}  // namespace sim::tools
