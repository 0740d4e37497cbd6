#include "libsim/report/text_timeline.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/label_letters.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_cells.hpp"
#include "libsim/report/time_axis.hpp"
#include "libsim/report/time_bar.hpp"
#include "libsim/report/timeline_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace sim::report {

namespace {

constexpr int longest_name = 24;
constexpr int fewest_columns = 10;
constexpr int columns_of_a_tick = 10;

class TextPicture {
public:
    TextPicture(const Timeline& timeline, const TextStyle& style)
        : timeline_(timeline),
          style_(style),
          end_(std::max(style.until == Time{} ? timeline.end_of_all() : style.until, Time{})),
          begin_(std::min(style.from, end_)),
          letters_(timeline),
          painter_(style.colour, style.ascii) {}

    std::string draw() {
        all_ = timeline_rows(timeline_);
        rows_ = shown_rows(all_, style_.most_rows, timeline_.fault_rank);
        if (end_ == begin_ || rows_.empty()) {
            return heading() + fault_line();
        }
        name_rows();
        show_readable_part();
        fill_cells();
        put_labels();
        put_ending();
        std::string text = heading() + axis();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            text += left_out_before(i) + row_text(i);
        }
        return text + mark_line() + legend() + spent_line() + fault_line();
    }

private:
    std::string rank_name(int rank) const {
        const bool is_named = static_cast<std::size_t>(rank) < timeline_.rank_names.size();
        return is_named ? terminal_text(timeline_.name_of(rank), longest_name, style_.ascii)
                        : fmt::format("rank {}", rank);
    }

    std::string row_name(const TimelineRow& row) const {
        if (row.stream != 0) {
            return fmt::format("{} stream {}", rank_name(row.rank), row.stream);
        }
        const auto rank = static_cast<std::size_t>(row.rank);
        const bool has_pid = style_.pids && rank < timeline_.pids.size();
        return rank_name(row.rank) + (has_pid ? fmt::format(" pid {}", timeline_.pids[rank]) : "");
    }

    void name_rows() {
        const int most = std::max(style_.width - 2 - fewest_columns, fewest_columns);
        for (const TimelineRow& row : rows_) {
            names_.push_back(terminal_text(row_name(row), most, style_.ascii));
            name_columns_ = std::max(name_columns_, columns_of(names_.back()));
        }
        const int room = std::max(style_.width - name_columns_ - 2, fewest_columns);
        columns_ = {.end = end_,
                    .count = static_cast<int>(std::min<std::int64_t>(room, (end_ - begin_).count())),
                    .begin = begin_};
    }

    // Limits the columns to the first part of a step with many micro-batches: otherwise all its passes would be
    // narrower than a column, and no letter would fit.
    void show_readable_part() {
        if (timeline_.account.empty() || style_.from != Time{} || style_.until != Time{} || style_.now) {
            return;
        }
        std::vector<Duration> lengths;
        Duration all{0};
        Duration readable{0};
        std::size_t letters = 1;
        for (const Span& span : timeline_.spans) {
            if (span.kind != OpKind::compute || timeline_.work_of(span) == span.label) {
                continue;  // not a pass
            }
            const std::string& form = letters_.short_form(span);
            letters = std::max(letters, form.size());
            const Duration length = span.end - span.begin;
            const bool has_room =
                columns_.nearest(span.end) - columns_.nearest(span.begin) >= static_cast<int>(form.size());
            readable += has_room ? length : Duration{0};
            all += length;
            lengths.push_back(length);
        }
        if (2 * readable >= all) {
            return;
        }
        // The usual length is the time-weighted median: half of all time is in passes at least as long. Short pieces of
        // a pass split into many hardly count.
        std::sort(lengths.begin(), lengths.end(), std::greater<>{});
        Duration longer{0};
        const auto usual = std::find_if(lengths.begin(), lengths.end(), [&](Duration length) {
            longer += length;
            return 2 * longer >= all;
        });
        const auto passes = static_cast<std::int64_t>(static_cast<std::size_t>(columns_.count) / (letters + 1));
        columns_.end = std::min(end_, Time{} + std::max<std::int64_t>(passes, 1) * *usual);
        columns_.count =
            static_cast<int>(std::min<std::int64_t>(columns_.count, columns_.end.time_since_epoch().count()));
    }

    Time now() const { return std::min(style_.now.value_or(end_), end_); }

    Time broken_off() const { return style_.now ? now() : timeline_.broken_off(); }

    void fill_cells() {
        for (const auto& fills :
             timeline_cells(timeline_, rows_, {.columns = columns_, .now = now(), .broken_off = broken_off()})) {
            std::vector<TextCell>& row = cells_.emplace_back();
            for (const CellFill fill : fills) {
                row.push_back({.fill = fill});
                seen_[static_cast<std::size_t>(fill)] = true;
            }
        }
    }

    void put_labels() {
        for (const Span& span : timeline_.spans) {
            const TimelineRow drawn = drawn_row(timeline_, span);
            const auto row = std::lower_bound(rows_.begin(), rows_.end(), drawn);
            const bool is_inside = !timeline_.counts(span);
            if ((span.kind != OpKind::compute && !is_inside) || row == rows_.end() || *row != drawn) {
                continue;
            }
            const std::string& form = letters_.short_form(span);
            if (span.end <= begin_) {
                continue;
            }
            const int first = columns_.nearest(std::max(span.begin, begin_));
            const int beyond = columns_.nearest(std::min(span.end, now()));
            if (form.empty() || beyond - first < static_cast<int>(form.size())) {
                continue;
            }
            for (std::size_t i = 0; i < form.size(); ++i) {
                TextCell& one = cell(row - rows_.begin(), first + static_cast<int>(i));
                one.letter = is_inside && one.letter != 0 ? one.letter : form[i];  // do not overwrite a pass's letters
            }
            letters_seen_.emplace(form.front(), is_inside ? CellFill::collective : CellFill::compute);
        }
    }

    TextCell& cell(std::ptrdiff_t row, int column) {
        return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    }

    void put_ending() {
        const auto row = std::lower_bound(rows_.begin(), rows_.end(), TimelineRow{timeline_.fault_rank, 0});
        if (timeline_.fault_rank < 0 || row == rows_.end()) {
            return;
        }
        const std::string word = fmt::format("x {}", timeline_.fault_word.empty() ? "ended" : timeline_.fault_word);
        const int length = std::min(static_cast<int>(word.size()), columns_.count);
        const int first = std::min(columns_.at(broken_off()), columns_.count - length);
        for (int i = 0; i < length; ++i) {
            cell(row - rows_.begin(), first + i) = {.letter = word[static_cast<std::size_t>(i)], .ending = true};
        }
    }

    std::string heading() const {
        std::string text = timeline_.title.empty() ? "" : timeline_.title + ": ";
        text += fmt::format("{} rank{}", timeline_.ranks, timeline_.ranks == 1 ? "" : "s");
        if (end_ == begin_ || rows_.empty()) {
            text += ", nothing took any time";
        } else {
            const double column = static_cast<double>((columns_.end - begin_).count()) / columns_.count;
            const std::string first =
                columns_.end < end_ ? fmt::format("the first {} of ", time_text(columns_.end, 3)) : "";
            const std::string since = style_.from == Time{} ? "" : fmt::format("{} to ", time_text(begin_, 5));
            text += fmt::format(", {}{}{}; a column is {}", first, since, time_text(now(), 5),
                                time_text(Time{Duration{static_cast<std::int64_t>(column)}}, 3));
        }
        return terminal_text(text, style_.width, style_.ascii) + "\n";
    }

    std::string axis() const {
        const auto begin = static_cast<std::size_t>(name_columns_ + 2);
        std::string line;
        for (const Tick& tick :
             time_ticks(columns_.end, (columns_.count + columns_of_a_tick - 1) / columns_of_a_tick, begin_)) {
            const std::size_t at = begin + static_cast<std::size_t>(columns_.at(tick.at));
            const bool fits = at + 1 + tick.text.size() <= static_cast<std::size_t>(style_.width);
            if (fits && (line.empty() || line.size() < at)) {
                line.resize(at, ' ');
                line += "|" + tick.text;
            }
        }
        return line + "\n";
    }

    std::string left_out_before(std::size_t row) const {
        const auto place = [&](std::size_t i) {
            return std::lower_bound(all_.begin(), all_.end(), rows_[i]) - all_.begin();
        };
        const std::ptrdiff_t from = row == 0 ? 0 : place(row - 1) + 1;
        const std::ptrdiff_t missing = place(row) - from;
        if (missing == 0) {
            return "";
        }
        const TimelineRow& first = all_[static_cast<std::size_t>(from)];
        const TimelineRow& last = all_[static_cast<std::size_t>(from + missing - 1)];
        const std::string line = fmt::format("{} {} row{} left out: {} to {}", style_.ascii ? "..." : "…", missing,
                                             missing == 1 ? "" : "s", row_name(first), row_name(last));
        return terminal_text(line, style_.width, style_.ascii) + "\n";
    }

    std::string row_text(std::size_t row) const {
        const int space = name_columns_ + 2 - columns_of(names_[row]);
        std::string line = names_[row] + std::string(static_cast<std::size_t>(space), ' ') + painter_.row(cells_[row]);
        return line.erase(line.find_last_not_of(' ') + 1) + "\n";
    }

    std::string mark_line() const {
        if (!style_.mark) {
            return "";
        }
        const auto at = static_cast<std::size_t>(name_columns_ + 2 + columns_.at(std::min(*style_.mark, end_)));
        return std::string(at, ' ') + (style_.ascii ? "^" : "▲") + "\n";
    }

    std::string legend() const {
        std::string text;
        int taken = 0;
        const auto add = [&](const TextCell& sign, const std::string& word) {
            const int more = 2 + columns_of(word);
            if (taken > 0 && taken + 2 + more > style_.width) {
                text += "\n";
                taken = 0;
            }
            text += (taken == 0 ? "" : "  ") + painter_.row({sign}) + " " + word;
            taken += more + (taken == 0 ? 0 : 2);
        };
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            const auto fill = static_cast<CellFill>(i);
            if (seen_[i] && fill != CellFill::nothing) {
                add({.fill = fill}, word_of(fill));
            }
        }
        for (const auto& [letter, fill] : letters_seen_) {
            add({.fill = fill, .letter = letter},
                terminal_text(letters_.meaning(letter), style_.width / 2, style_.ascii));
        }
        return text + "\n";
    }

    // The account of all ranks and the whole step, because a cell shows only what fills most of it.
    std::string spent_line() const {
        if (timeline_.account.empty()) {
            return "";
        }
        const int width = std::clamp(style_.width - 36, fewest_columns, 60);
        return terminal_text(fmt::format("time of all ranks, by category: [{}]", time_bar(mean_time(timeline_), width)),
                             style_.width, style_.ascii) +
               "\n";
    }

    std::string fault_line() const {
        if (timeline_.fault.empty()) {
            return "";
        }
        const std::string first = timeline_.fault.substr(0, timeline_.fault.find('\n'));
        return terminal_text("broke off: " + first, style_.width, style_.ascii) + "\n";
    }

    const Timeline& timeline_;
    const TextStyle& style_;
    Time end_;
    Time begin_;
    LabelLetters letters_;
    TextPainter painter_;
    std::vector<TimelineRow> all_;
    std::vector<TimelineRow> rows_;  // the rows that are drawn
    std::vector<std::string> names_;
    int name_columns_ = 0;
    TimeColumns columns_;
    std::vector<std::vector<TextCell>> cells_;
    std::array<bool, cell_fills> seen_{};
    std::map<char, CellFill> letters_seen_;
};

}  // namespace

std::string text_timeline(const Timeline& timeline, const TextStyle& style) {
    return TextPicture(timeline, style).draw();
}

}  // namespace sim::report
