#include "libsim/explain/explained_step.hpp"
#include "libsim/predict/records.hpp"
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

constexpr std::size_t most_rank_rows = 32;
constexpr std::size_t most_label_rows = 12;
constexpr int widest_label = 48;

TextRow share_row(const std::string& name, const Shares& shares, double window) {
    TextRow cells{.cells = {name}};
    for (const ShareRow& row : share_rows()) {
        cells.cells.push_back(percent_text(window > 0 ? shares.*row.value / window : 0));
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

// The categories that took time on each rank, in percent of the step.
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
                row.cells.push_back(percent_text(shares.accounts[i][kind] / shares.step));
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

// The time by category of `ndsim train` if the trace is of a predicted step, else the shares that the spans show.
std::string time_text_of(const TraceSummary& summary) {
    const TraceShares& shares = summary.shares;
    if (!shares.has_account) {
        return shares_text(summary);
    }
    return explain::text_of(explain::time_by_category(shares.account), explain::Level::brief) + "\n" +
           ranks_text(shares);
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
        table.rows.push_back({{time_text(label.exposed), time_text(label.lasted), fmt::format("{}", label.spans),
                               std::string(name_of(label.activity)), terminal_text(label.label, widest_label)}});
    }
    if (shares.labels.size() > most_label_rows) {
        table.rows.push_back(
            {{}, fmt::format("… {} more labels; --json has all", shares.labels.size() - most_label_rows)});
    }
    return text_of(table);
}

std::string messages_text(const TraceShares& shares) {
    std::string text = number_text(shares.messages, "message", "messages");
    if (shares.bytes > 0) {
        text += fmt::format(" of {} in all", bytes_text(static_cast<double>(shares.bytes)));
    }
    if (shares.units > 0) {
        text += fmt::format(" of {:.6g} units in all", shares.units);
    }
    return text +
           fmt::format(", {}\n", number_text(shares.collectives, "part in a collective", "parts in collectives"));
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
                           one.rank, one.factor, time_text(seconds(one.from)), time_text(seconds(one.until)),
                           time_text(seconds(one.lost)));
    });
    add(blame.links, [](const trace::LateLink& one) {
        return fmt::format("  messages from rank {} to {} take {:.2f} times as long as others of their size: {} lost\n",
                           one.source, one.target, one.factor, time_text(seconds(one.lost)));
    });
    add(blame.standstills, [](const trace::Standstill& one) {
        return fmt::format("  rank {} stands still from {} on, for {}\n", one.rank, time_text(seconds(one.from)),
                           time_text(seconds(one.lost)));
    });
    if (text.empty()) {
        return blame.judged > 1 ? "Stragglers: none; no rank computes 5 % longer than others do the same.\n"
                                : "Stragglers: cannot be found; no two ranks do the same.\n";
    }
    return "Stragglers\n" + text;
}

const report::Record<Shares>& shares_record() {
    static const report::Record<Shares> record(
        "Where the seconds went, the mean over the ranks; the first four add up to the run.", [] {
            std::vector<Field<Shares>> fields;
            for (const ShareRow& row : share_rows()) {
                fields.push_back(number<Shares>(std::string(row.key), std::string(row.what), row.value));
            }
            return fields;
        }());
    return record;
}

struct RankShares {
    const TraceShares* all;
    std::size_t i;  // in `all`

    const Shares& shares() const { return all->of_rank[i]; }
    bool has_account() const { return all->has_account; }
    const TimeBySeconds* account() const { return has_account() ? &all->accounts[i] : nullptr; }
};

std::vector<RankShares> ranks_of(const TraceShares& shares) {
    std::vector<RankShares> ranks;
    for (std::size_t i = 0; i < shares.ranks.size(); ++i) {
        ranks.push_back({&shares, i});
    }
    return ranks;
}

std::vector<Field<RankShares>> rank_fields() {
    return joined<RankShares>(
        {{whole<RankShares>("rank", "Number of the rank.", [](const RankShares& of) { return of.all->ranks[of.i]; })},
         fields_of<RankShares>(shares_record(), &RankShares::shares)});
}

const report::Record<RankShares>& rank_record() {
    static const report::Record<RankShares> record(
        "A rank.",
        joined<RankShares>(
            {rank_fields(),
             {part_or_null<RankShares>(
                 "budget", "The rank's seconds of the step by category; null: the trace is not of a predicted step.",
                 predict::budget_record(), &RankShares::account, predict::budget_definition)}}));
    return record;
}

// The columns of a table: also one for each category of the account, empty if there is none.
const report::Record<RankShares>& rank_columns() {
    static const report::Record<RankShares> record("A rank.", [] {
        std::vector<Field<RankShares>> categories =
            fields_of<RankShares>(predict::budget_record(), [](const RankShares& of) { return *of.account(); });
        for (Field<RankShares>& category : categories) {
            category.key += "_budget_seconds";
        }
        return joined<RankShares>({rank_fields(), only_if(std::move(categories), &RankShares::has_account)});
    }());
    return record;
}

const report::Record<LabelShare>& label_record() {
    using Label = LabelShare;
    static const report::Record<Label> record(
        "Spans with one label.",
        {free_text<Label>("label", "Label of the spans, or the work that several labels belong to.", &Label::label),
         name<Label>("activity", "Activity of its time, such as compute or communication.",
                     [](const Label& of) { return name_of(of.activity); }),
         whole<Label>("spans", "Spans with this label, on all ranks.", &Label::spans),
         number<Label>("exposed_seconds", "Seconds that no computation hides, the mean over the ranks.",
                       &Label::exposed),
         number<Label>("lasted_seconds", "Seconds that they took, the mean over the ranks.", &Label::lasted)});
    return record;
}

// A field in seconds of a straggler, a link or a standstill.
template <class T, class Value>
Field<T> seconds_of(const char* key, const char* description, Value value) {
    return number<T>(key, description, [value](const T& of) { return seconds(std::invoke(value, of)); });
}

const report::Record<trace::Straggler>& straggler_record() {
    using trace::Straggler;
    static const report::Record<Straggler> record(
        "A straggler.",
        {whole<Straggler>("rank", "Number of the rank, from 0.", &Straggler::rank),
         number<Straggler>("factor", "Its computation time, as a multiple of the others'.", &Straggler::factor),
         seconds_of<Straggler>("lost_seconds", "Seconds that it computes longer, in total.", &Straggler::lost),
         seconds_of<Straggler>("from_seconds", "Seconds at which its first slow computation begins.", &Straggler::from),
         seconds_of<Straggler>("to_seconds", "Seconds at which its last slow computation ends.", &Straggler::until)});
    return record;
}

const report::Record<trace::LateLink>& link_record() {
    using trace::LateLink;
    static const report::Record<LateLink> record(
        "A slow link.",
        {whole<LateLink>("source", "Rank that sends.", &LateLink::source),
         whole<LateLink>("target", "Rank that receives.", &LateLink::target),
         number<LateLink>("factor", "The time of its messages, as a multiple of others of their size.",
                          &LateLink::factor),
         seconds_of<LateLink>("lost_seconds", "Seconds that they take longer, in total.", &LateLink::lost)});
    return record;
}

const report::Record<trace::Standstill>& standstill_record() {
    using trace::Standstill;
    static const report::Record<Standstill> record(
        "A standstill.", {whole<Standstill>("rank", "Number of the rank, from 0.", &Standstill::rank),
                          seconds_of<Standstill>("from_seconds", "Seconds at which it begins.", &Standstill::from),
                          seconds_of<Standstill>("lost_seconds", "Seconds that it lasts.", &Standstill::lost)});
    return record;
}

const report::Record<trace::Blame>& blame_record() {
    using trace::Blame;
    static const report::Record<Blame> record(
        "Ranks and links that are slower than others that do the same, found from the spans alone.",
        {whole<Blame>("judged_ranks", "Ranks that computed the same as another rank.", &Blame::judged),
         list_of<Blame>("ranks", "A row for each rank that computes at least 5 % longer, largest loss first.",
                        straggler_record(), &Blame::ranks),
         list_of<Blame>(
             "links",
             "A row for each pair of ranks whose messages take at least 1.5 times as long as others of their size.",
             link_record(), &Blame::links),
         list_of<Blame>("standstills",
                        "A row for each time that a rank did nothing and waited for no other, for at least a hundredth "
                        "of the run.",
                        standstill_record(), &Blame::standstills)});
    return record;
}

std::vector<Field<TraceSummary>> trace_fields() {
    using Summary = TraceSummary;
    return {
        name<Summary>("file", "The trace.", &Summary::file),
        truth<Summary>("profiled", "Whether the trace is a profiler's, not a simulation's.",
                       [](const Summary& of) { return of.trace.profiled; }),
        truth<Summary>("partial", "Whether its run ended early; tables of spans do not record that.",
                       [](const Summary& of) { return of.trace.timeline.is_partial(); }),
        whole<Summary>("steps", "Training steps that it marks; 0: it marks none.",
                       [](const Summary& of) { return of.trace.steps; }),
        whole<Summary>("ranks", "Ranks of the trace.", [](const Summary& of) { return of.shares.ranks.size(); }),
        whole<Summary>("spans", "Spans of the trace.",
                       [](const Summary& of) { return of.trace.timeline.spans.size(); }),
        number<Summary>("seconds", "Seconds of the whole run.", [](const Summary& of) { return of.shares.window; })};
}

std::vector<Field<TraceSummary>> time_fields() {
    using Summary = TraceSummary;
    return {
        part<Summary>("mean", shares_record(), [](const Summary& of) { return of.shares.mean; }),
        number_or_null<Summary>(
            "step_seconds", "Seconds of the step that the budget divides; null: the trace is not of a predicted step.",
            [](const Summary& of) { return of.shares.has_account ? std::optional(of.shares.step) : std::nullopt; }),
        part_or_null<Summary>(
            "budget",
            "The seconds of the step by category of ndsim train, the mean over the ranks; null: the trace is not of a "
            "predicted step.",
            predict::budget_record(),
            [](const Summary& of) { return of.shares.has_account ? &of.shares.account : nullptr; },
            predict::budget_definition),
        list_of<Summary>("per_rank", "A row for each rank.", rank_record(),
                         [](const Summary& of) { return ranks_of(of.shares); }),
        list_of<Summary>("labels", "A row for each label.", label_record(),
                         [](const Summary& of) { return of.shares.labels; }),
        part<Summary>("stragglers", blame_record(), &Summary::blame)};
}

std::vector<Field<TraceSummary>> message_fields() {
    using Summary = TraceSummary;
    return {
        whole<Summary>("messages", "Messages that were sent.", [](const Summary& of) { return of.shares.messages; }),
        whole<Summary>("bytes_sent", "Bytes that were sent.", [](const Summary& of) { return of.shares.bytes; }),
        number<Summary>("units_sent", "Data units that were sent.", [](const Summary& of) { return of.shares.units; }),
        whole<Summary>("collectives", "Collectives that are timed as a whole.",
                       [](const Summary& of) { return of.shares.collectives; })};
}

const report::Record<TraceSummary>& summary_record() {
    static const report::Record<TraceSummary> record(
        "Where the time of a trace went.", joined<TraceSummary>({trace_fields(), time_fields(), message_fields()}));
    return record;
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
    std::string text =
        fmt::format("{}: {}, {}, {}{}\n\n", summary.file, number_text(ranks, "rank", "ranks"),
                    number_text(static_cast<std::int64_t>(summary.trace.timeline.spans.size()), "span", "spans"),
                    time_text(summary.shares.window), summary.trace.profiled ? ", measured by a profiler" : "");
    if (summary.trace.steps > 0) {
        text.insert(text.size() - 2, fmt::format(", {}", number_text(summary.trace.steps, "step", "steps")));
    }
    if (summary.trace.timeline.is_partial()) {
        text.insert(text.size() - 2, ", partial: the run ended early");
    }
    return text + time_text_of(summary) + "\n" + labels_text(summary.shares) + "\n" + messages_text(summary.shares) +
           "\n" + blame_text(summary.blame) + (summary.shares.has_account ? account_explained : shares_explained);
}

std::string json_of(const TraceSummary& summary) {
    return json_line(summary_record().json(summary));
}

Table table_of(const TraceSummary& summary) {
    return rank_columns().table(ranks_of(summary.shares));
}

SchemaText trace_summary_schema() {
    return schema_of_result("trace_summary", "What ndsim trace summary prints with --json", summary_record().schema());
}

TableColumns summary_columns() {
    return {.columns = rank_columns().columns(), .when = "summary"};
}

}  // namespace sim::tools
