#include "libsim/planning/report/amounts.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace trace_files;

namespace {

using report::Align;
using report::TextRow;
using report::TextTable;

constexpr std::size_t most_rank_rows = 32;
constexpr std::size_t most_label_rows = 12;
constexpr int widest_label = 48;

TextRow share_row(const std::string& name, const Shares& shares, double window) {
    TextRow cells{.cells = {name}};
    for (const ShareRow& row : share_rows()) {
        cells.cells.push_back(planning::percent_text(window > 0 ? shares.*row.value / window : 0));
    }
    return cells;
}

std::string shares_text(const TraceSummary& summary) {
    const TraceShares& shares = summary.shares;
    TextTable table{.columns = {{"", Align::left}}};
    for (const ShareRow& row : share_rows()) {
        table.columns.push_back({std::string(row.name)});
    }
    for (std::size_t i = 0; i < std::min(shares.ranks.size(), most_rank_rows); ++i) {
        table.rows.push_back(share_row(fmt::format("rank {}", shares.ranks[i]), shares.of_rank[i], shares.window));
    }
    if (shares.ranks.size() > most_rank_rows) {
        table.rows.push_back(
            {{}, fmt::format("… {} more ranks; --csv and --json have all", shares.ranks.size() - most_rank_rows)});
    }
    table.rows.push_back(share_row("mean", shares.mean, shares.window));
    return text_of(table);
}

std::string labels_text(const TraceShares& shares) {
    TextTable table{.columns = {{"exposed"}, {"lasted"}, {"spans"}, {"", Align::left}, {"label", Align::left}}};
    for (std::size_t i = 0; i < std::min(shares.labels.size(), most_label_rows); ++i) {
        const LabelShare& label = shares.labels[i];
        table.rows.push_back(
            {{planning::time_text(label.exposed), planning::time_text(label.lasted), fmt::format("{}", label.spans),
              std::string(name_of(label.activity)), report::terminal_text(label.label, widest_label)}});
    }
    if (shares.labels.size() > most_label_rows) {
        table.rows.push_back(
            {{}, fmt::format("… {} more labels; --json has all", shares.labels.size() - most_label_rows)});
    }
    return text_of(table);
}

std::string messages_text(const TraceShares& shares) {
    std::string text = planning::number_text(shares.messages, "message", "messages");
    if (shares.bytes > 0) {
        text += fmt::format(" of {} in all", planning::bytes_text(static_cast<double>(shares.bytes)));
    }
    if (shares.units > 0) {
        text += fmt::format(" of {:.6g} units in all", shares.units);
    }
    return text + fmt::format(", {}\n", planning::number_text(shares.collectives, "part in a collective",
                                                              "parts in collectives"));
}

}  // namespace

TraceSummary summary_of(const std::string& file) {
    TraceSummary summary{.file = file, .trace = read_trace(file), .shares = {}};
    summary.shares = shares_of(summary.trace.timeline);
    return summary;
}

std::string text_of(const TraceSummary& summary) {
    const auto ranks = static_cast<std::int64_t>(summary.shares.ranks.size());
    std::string text = fmt::format(
        "{}: {}, {}, {}{}\n\n", summary.file, planning::number_text(ranks, "rank", "ranks"),
        planning::number_text(static_cast<std::int64_t>(summary.trace.timeline.spans.size()), "span", "spans"),
        planning::time_text(summary.shares.window), summary.trace.profiled ? ", measured by a profiler" : "");
    if (summary.trace.steps > 0) {
        text.insert(text.size() - 2, fmt::format(", {}", planning::number_text(summary.trace.steps, "step", "steps")));
    }
    return text + shares_text(summary) + "\n" + labels_text(summary.shares) + "\n" + messages_text(summary.shares) +
           "\nThe first four add up to the time of the whole run. waiting: the part of exposed communication that "
           "waited "
           "for\nthe other side, where the trace says it. overlapped: communication beside computation. Labels: mean "
           "over the ranks.\n";
}

std::string json_of(const TraceSummary& summary) {
    nlohmann::ordered_json object{{"file", summary.file},
                                  {"profiled", summary.trace.profiled},
                                  {"steps", summary.trace.steps},
                                  {"ranks", summary.shares.ranks.size()},
                                  {"spans", summary.trace.timeline.spans.size()},
                                  {"seconds", summary.shares.window}};
    const auto shares_json = [](const Shares& shares) {
        nlohmann::ordered_json parts;
        for (const ShareRow& row : share_rows()) {
            parts[std::string(row.key)] = shares.*row.value;
        }
        return parts;
    };
    object["mean"] = shares_json(summary.shares.mean);
    object["per_rank"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < summary.shares.ranks.size(); ++i) {
        nlohmann::ordered_json rank{{"rank", summary.shares.ranks[i]}};
        rank.update(shares_json(summary.shares.of_rank[i]));
        object["per_rank"].push_back(rank);
    }
    object["labels"] = nlohmann::ordered_json::array();
    for (const LabelShare& label : summary.shares.labels) {
        object["labels"].push_back({{"label", label.label},
                                    {"activity", name_of(label.activity)},
                                    {"spans", label.spans},
                                    {"exposed_seconds", label.exposed},
                                    {"lasted_seconds", label.lasted}});
    }
    object["messages"] = summary.shares.messages;
    object["bytes_sent"] = summary.shares.bytes;
    object["units_sent"] = summary.shares.units;
    object["collectives"] = summary.shares.collectives;
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

report::Table table_of(const TraceSummary& summary) {
    report::Table table{.columns = {{"rank"}}, .rows = {}};
    for (const ShareRow& row : share_rows()) {
        table.columns.push_back({std::string(row.key)});
    }
    for (std::size_t i = 0; i < summary.shares.ranks.size(); ++i) {
        std::vector<std::string> cells{std::to_string(summary.shares.ranks[i])};
        for (const ShareRow& row : share_rows()) {
            cells.push_back(fmt::format("{:.12g}", summary.shares.of_rank[i].*row.value));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace sim::tools
