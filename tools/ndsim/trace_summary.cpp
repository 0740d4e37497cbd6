#include "libsim/planning/report/amounts.hpp"
#include "tools/ndsim/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace trace_files;

namespace {

constexpr std::size_t most_rank_rows = 32;
constexpr std::size_t most_label_rows = 12;
constexpr std::size_t widest_label = 48;

// Of one line, and not too long for it.
std::string label_text(const std::string& label) {
    std::string text = label;
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    if (text.size() <= widest_label) {
        return text;
    }
    std::size_t most = widest_label;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) {
        --most;
    }
    return text.substr(0, most) + "…";
}

std::string share_line(const std::string& name, const Shares& shares, double window) {
    std::string line = fmt::format("{:<8}", name);
    for (const ShareRow& row : share_rows()) {
        const double share = window > 0 ? shares.*row.value / window : 0;
        line += fmt::format("  {:>{}}", planning::percent_text(share), row.name.size());
    }
    return line + "\n";
}

std::string shares_text(const TraceSummary& summary) {
    const TraceShares& shares = summary.shares;
    std::string text = fmt::format("{:<8}", "");
    for (const ShareRow& row : share_rows()) {
        text += fmt::format("  {}", row.name);
    }
    text += "\n";
    for (std::size_t i = 0; i < std::min(shares.ranks.size(), most_rank_rows); ++i) {
        text += share_line(fmt::format("rank {}", shares.ranks[i]), shares.of_rank[i], shares.window);
    }
    if (shares.ranks.size() > most_rank_rows) {
        text += fmt::format("… {} more ranks; --csv and --json have all\n", shares.ranks.size() - most_rank_rows);
    }
    return text + share_line("mean", shares.mean, shares.window);
}

std::string labels_text(const TraceShares& shares) {
    std::string text = fmt::format("{:>12}  {:>12}  {:>8}  {:<13}  {}\n", "exposed", "lasted", "spans", "", "label");
    for (std::size_t i = 0; i < std::min(shares.labels.size(), most_label_rows); ++i) {
        const LabelShare& label = shares.labels[i];
        text += fmt::format("{:>12}  {:>12}  {:>8}  {:<13}  {}\n", planning::time_text(label.exposed),
                            planning::time_text(label.lasted), label.spans, name_of(label.activity),
                            label_text(label.label));
    }
    if (shares.labels.size() > most_label_rows) {
        text += fmt::format("… {} more labels; --json has all\n", shares.labels.size() - most_label_rows);
    }
    return text;
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
