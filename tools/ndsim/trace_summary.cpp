#include "libsim/report/amounts.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/report/time_table.hpp"
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
        cells.cells.push_back(report::percent_text(window > 0 ? shares.*row.value / window : 0));
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

// Of each rank, in percent of the step: the categories that took time.
std::string ranks_text(const TraceShares& shares) {
    TextTable table{.columns = {{"", Align::left}}, .rows = {}, .margin = "  "};
    const auto takes_time = [&](std::size_t kind) { return shares.account[kind] > 0; };
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        if (takes_time(kind)) {
            table.columns.push_back({std::string(name_of(static_cast<TimeCategory>(kind)))});
        }
    }
    for (std::size_t i = 0; i < std::min(shares.ranks.size(), most_rank_rows); ++i) {
        TextRow row{.cells = {fmt::format("rank {}", shares.ranks[i])}};
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            if (takes_time(kind)) {
                row.cells.push_back(report::percent_text(shares.accounts[i][kind] / shares.step));
            }
        }
        table.rows.push_back(std::move(row));
    }
    if (shares.ranks.size() > most_rank_rows) {
        table.rows.push_back(
            {{}, fmt::format("… {} more ranks; --csv and --json have all", shares.ranks.size() - most_rank_rows)});
    }
    return text_of(table);
}

// What `ndsim train` said of the step, and what its spans show.
std::string time_text_of(const TraceSummary& summary) {
    const TraceShares& shares = summary.shares;
    if (!shares.has_account) {
        return shares_text(summary);
    }
    return "Time of a step, the average over all ranks; communication as far as no computation hides it\n" +
           report::time_table(shares.account) + "\n" + ranks_text(shares);
}

constexpr const char* shares_explained =
    "\nThe first four add up to the time of the whole run. waiting: the part of exposed communication that waited for\n"
    "the other side, where the trace says it. overlapped: communication beside computation. Labels: mean over the "
    "ranks.\n";
constexpr const char* account_explained =
    "\nThe categories are those of ndsim train, and add up to the step. Labels: mean over the ranks; exposed: of "
    "computations\nwithout the collectives inside them, of communication as far as nothing computes.\n";

std::string labels_text(const TraceShares& shares) {
    TextTable table{.columns = {{"exposed"}, {"lasted"}, {"spans"}, {"", Align::left}, {"label", Align::left}}};
    for (std::size_t i = 0; i < std::min(shares.labels.size(), most_label_rows); ++i) {
        const LabelShare& label = shares.labels[i];
        table.rows.push_back(
            {{report::time_text(label.exposed), report::time_text(label.lasted), fmt::format("{}", label.spans),
              std::string(name_of(label.activity)), report::terminal_text(label.label, widest_label)}});
    }
    if (shares.labels.size() > most_label_rows) {
        table.rows.push_back(
            {{}, fmt::format("… {} more labels; --json has all", shares.labels.size() - most_label_rows)});
    }
    return text_of(table);
}

std::string messages_text(const TraceShares& shares) {
    std::string text = report::number_text(shares.messages, "message", "messages");
    if (shares.bytes > 0) {
        text += fmt::format(" of {} in all", report::bytes_text(static_cast<double>(shares.bytes)));
    }
    if (shares.units > 0) {
        text += fmt::format(" of {:.6g} units in all", shares.units);
    }
    return text + fmt::format(", {}\n",
                              report::number_text(shares.collectives, "part in a collective", "parts in collectives"));
}

constexpr std::size_t most_to_blame = 5;

std::string blame_text(const trace::Blame& blame) {
    std::string text;
    const auto add = [&text](const auto& all, const auto& line) {
        for (std::size_t i = 0; i < std::min(all.size(), most_to_blame); ++i) {
            text += line(all[i]);
        }
        if (all.size() > most_to_blame) {
            text += fmt::format("  … and {} more; --json has all\n", all.size() - most_to_blame);
        }
    };
    add(blame.ranks, [](const trace::Straggler& one) {
        return fmt::format("  rank {} computes {:.2f} times as long as others do the same, from {} to {}: {} lost\n",
                           one.rank, one.factor, report::time_text(seconds(one.from)),
                           report::time_text(seconds(one.until)), report::time_text(seconds(one.lost)));
    });
    add(blame.links, [](const trace::LateLink& one) {
        return fmt::format("  messages from rank {} to {} take {:.2f} times as long as others of their size: {} lost\n",
                           one.source, one.target, one.factor, report::time_text(seconds(one.lost)));
    });
    add(blame.standstills, [](const trace::Standstill& one) {
        return fmt::format("  rank {} stands still from {} on, for {}\n", one.rank,
                           report::time_text(seconds(one.from)), report::time_text(seconds(one.lost)));
    });
    if (text.empty()) {
        return blame.judged > 1 ? "Stragglers: none; no rank computes 5 % longer than others do the same.\n"
                                : "Stragglers: not to be found; no two ranks do the same.\n";
    }
    return "Stragglers\n" + text;
}

nlohmann::ordered_json json_of(const trace::Blame& blame) {
    nlohmann::ordered_json object{{"judged_ranks", blame.judged}};
    for (const char* const key : {"ranks", "links", "standstills"}) {
        object[key] = nlohmann::ordered_json::array();
    }
    for (const trace::Straggler& one : blame.ranks) {
        object["ranks"].push_back({{"rank", one.rank},
                                   {"factor", one.factor},
                                   {"lost_seconds", seconds(one.lost)},
                                   {"from_seconds", seconds(one.from)},
                                   {"to_seconds", seconds(one.until)}});
    }
    for (const trace::LateLink& one : blame.links) {
        object["links"].push_back({{"source", one.source},
                                   {"target", one.target},
                                   {"factor", one.factor},
                                   {"lost_seconds", seconds(one.lost)}});
    }
    for (const trace::Standstill& one : blame.standstills) {
        object["standstills"].push_back(
            {{"rank", one.rank}, {"from_seconds", seconds(one.from)}, {"lost_seconds", seconds(one.lost)}});
    }
    return object;
}

}  // namespace

TraceSummary summary_of(const std::string& file) {
    TraceSummary summary{.file = file, .trace = read_trace(file), .shares = {}, .blame = {}};
    summary.shares = shares_of(summary.trace.timeline);
    summary.blame = trace::blame(summary.trace.timeline.spans);
    return summary;
}

std::string text_of(const TraceSummary& summary) {
    const auto ranks = static_cast<std::int64_t>(summary.shares.ranks.size());
    std::string text = fmt::format(
        "{}: {}, {}, {}{}\n\n", summary.file, report::number_text(ranks, "rank", "ranks"),
        report::number_text(static_cast<std::int64_t>(summary.trace.timeline.spans.size()), "span", "spans"),
        report::time_text(summary.shares.window), summary.trace.profiled ? ", measured by a profiler" : "");
    if (summary.trace.steps > 0) {
        text.insert(text.size() - 2, fmt::format(", {}", report::number_text(summary.trace.steps, "step", "steps")));
    }
    if (summary.trace.timeline.is_partial()) {
        text.insert(text.size() - 2, ", partial: the run ended early");
    }
    return text + time_text_of(summary) + "\n" + labels_text(summary.shares) + "\n" + messages_text(summary.shares) +
           "\n" + blame_text(summary.blame) + (summary.shares.has_account ? account_explained : shares_explained);
}

std::string json_of(const TraceSummary& summary) {
    nlohmann::ordered_json object{{"file", summary.file},
                                  {"profiled", summary.trace.profiled},
                                  {"partial", summary.trace.timeline.is_partial()},
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
    const auto account_json = [&](const TimeBySeconds& account) {
        nlohmann::ordered_json parts;
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            parts[name_of(static_cast<TimeCategory>(kind))] = account[kind];
        }
        return parts;
    };
    const bool has_account = summary.shares.has_account;
    object["mean"] = shares_json(summary.shares.mean);
    object["step_seconds"] = has_account ? nlohmann::ordered_json(summary.shares.step) : nlohmann::ordered_json();
    object["budget"] = has_account ? account_json(summary.shares.account) : nlohmann::ordered_json();
    object["per_rank"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < summary.shares.ranks.size(); ++i) {
        nlohmann::ordered_json rank{{"rank", summary.shares.ranks[i]}};
        rank.update(shares_json(summary.shares.of_rank[i]));
        rank["budget"] = has_account ? account_json(summary.shares.accounts[i]) : nlohmann::ordered_json();
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
    object["stragglers"] = json_of(summary.blame);
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
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        table.columns.push_back({fmt::format("{}_budget_seconds", name_of(static_cast<TimeCategory>(kind)))});
    }
    for (std::size_t i = 0; i < summary.shares.ranks.size(); ++i) {
        std::vector<std::string> cells{std::to_string(summary.shares.ranks[i])};
        for (const ShareRow& row : share_rows()) {
            cells.push_back(fmt::format("{:.12g}", summary.shares.of_rank[i].*row.value));
        }
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            cells.push_back(summary.shares.has_account ? fmt::format("{:.12g}", summary.shares.accounts[i][kind]) : "");
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace sim::tools
