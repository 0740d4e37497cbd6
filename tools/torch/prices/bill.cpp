#include "tools/torch/prices/bill.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace sim::torch::prices {

namespace {

// Seconds that the work would take at its peak rate.
double at_peak(const Entry& entry) {
    return static_cast<double>(entry.count) * entry.work.done / entry.work.at_most;
}

Duration time_of(const Entry& entry) {
    const Duration each = std::accumulate(entry.work.kernels.begin(), entry.work.kernels.end(), Duration{});
    return each * entry.count;
}

std::string how_text(const Row& row) {
    if (!row.of_peak) {
        return row.how;
    }
    const char* what = row.how.starts_with(memory_traffic) ? "bandwidth" : "peak";
    return fmt::format("{}, {:.0f} % of {}{}", row.how, 100 * *row.of_peak, what, row.is_guessed ? " (guessed)" : "");
}

Row sum_of_rows(std::span<const Row> rows) {
    Row sum{.label = fmt::format("{} others", rows.size())};
    for (const Row& row : rows) {
        sum.count += row.count;
        sum.seconds += row.seconds;
        sum.share += row.share;
    }
    return sum;
}

std::vector<std::string> cells_of_row(const Row& row, const std::string& how) {
    return {row.label, std::to_string(row.count), report::time_text(row.seconds), report::percent_text(row.share), how};
}

}  // namespace

Entry& Bill::entry(const std::string& label, const Work& work, bool is_guessed) {
    Entry*& known = by_work_[Key{label, work, is_guessed}];
    if (known == nullptr) {
        known = &entries_.emplace_back(Entry{.label = label, .work = work, .is_guessed = is_guessed});
        Share share{
            .category = work.category, .flops = work.flops, .at_peak = work.flops / work.at_most, .again = work.again};
        for (const Duration time : work.kernels) {
            known->kernels.push_back({known->label, time, share});
            share = {.category = work.category};
        }
    }
    return *known;
}

std::vector<Row> Bill::rows(std::int64_t views) const {
    struct Group {
        std::int64_t count = 0;
        Duration time{};
        double at_peak = 0;
    };
    std::map<std::tuple<std::string, std::string, bool>, Group> groups;
    Duration all{};
    for (const Entry& entry : entries_) {
        if (entry.count == 0 || entry.kernels.empty()) {
            continue;
        }
        Group& group = groups[{entry.label, entry.work.how, entry.is_guessed}];
        group.count += entry.count;
        group.time += time_of(entry);
        group.at_peak += at_peak(entry);
        all += time_of(entry);
    }
    std::vector<Row> rows;
    for (const auto& [key, group] : groups) {
        const auto& [label, how, is_guessed] = key;
        const double time = seconds(group.time);
        rows.push_back({label, group.count, time, how, group.at_peak / time, is_guessed, time / seconds(all)});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
    if (views > 0) {
        rows.push_back({.label = "views and metadata", .count = views, .how = "no kernel"});
    }
    return rows;
}

std::string bill_text(const std::vector<Row>& rows, std::optional<std::size_t> most) {
    using enum report::Align;
    report::TextTable table{.columns = {{.heading = "operator", .align = left},
                                        {.heading = "count"},
                                        {.heading = "GPU time"},
                                        {.heading = "share"},
                                        {.heading = "priced as", .align = left}}};
    const std::size_t shown = std::min(rows.size(), most.value_or(rows.size()));
    std::set<std::string> guessed;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (at < shown) {
            table.rows.push_back({.cells = cells_of_row(rows[at], how_text(rows[at]))});
        }
        if (rows[at].is_guessed) {
            guessed.insert(rows[at].label);
        }
    }
    if (shown < rows.size()) {
        table.rows.push_back({.cells = cells_of_row(sum_of_rows(std::span(rows).subspan(shown)), "")});
    }
    std::string text = report::text_of(table);
    if (!guessed.empty()) {
        text += fmt::format("guessed, because no rule covers them: {}\n", fmt::join(guessed, ", "));
    }
    return text;
}

const report::Record<Row>& row_record() {
    using namespace report::keys;
    static const report::Record<Row> record(
        "An operator and a way of pricing it.",
        {name<Row>("operator", "Name of the operator.", &Row::label),
         whole<Row>("count", "Number of calls.", &Row::count),
         number<Row>("seconds", "GPU seconds of all calls.", &Row::seconds),
         free_text<Row>("how", "The way of pricing it.", &Row::how),
         number_or_null<Row>("of_peak", "Share of 1 of the peak that it reached; null: it has no kernel.",
                             &Row::of_peak),
         truth<Row>("guessed", "Whether its price is a guess.", &Row::is_guessed),
         number<Row>("share", "Share of 1 of the seconds of all operators.", &Row::share)});
    return record;
}

}  // namespace sim::torch::prices
