#include "libsim/report/svg_timeline.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/label_letters.hpp"
#include "libsim/report/lanes.hpp"
#include "libsim/report/passes.hpp"
#include "libsim/report/svg.hpp"
#include "libsim/report/svg_timeline_style.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_cells.hpp"
#include "libsim/report/time_axis.hpp"
#include "libsim/report/time_bar.hpp"
#include "libsim/report/timeline_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace sim::report {

namespace {

// Pixels.
constexpr int margin = 16;
constexpr int letter_width = 7;
constexpr int label_width = 6;  // of a letter on a span
constexpr int title_line = 30;
constexpr int axis_line = 58;
constexpr int first_row = 58;
constexpr int row_height = 24;
constexpr int stream_height = 14;
constexpr int between_rows = 12;
constexpr int legend_line = 22;
constexpr int narrowest = 100;
constexpr int pixels_of_a_tick = 90;
constexpr int longest_row_name = 40;

std::string text_at(int x, int y, const std::string& text, const std::string& attributes = "") {
    return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
                       xml_escaped(text));
}

class SvgTimeline {
public:
    SvgTimeline(const Timeline& timeline, const SvgStyle& style)
        : timeline_(timeline), style_(style), letters_(timeline), end_(timeline.end_of_all()) {}

    std::string draw() {
        if (end_ > Time{}) {
            lay_out();
            draw_axis();
            draw_cells();
            draw_labels();
            draw_waits();
            draw_arrows();
            draw_names();
            draw_legend();
        }
        const std::string size = fmt::format("viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\"", style_.width, y_);
        const std::string attributes =
            size +
            " role=\"img\" font-family=\"system-ui, 'Segoe UI', 'Liberation Sans', sans-serif\" font-size=\"12\"";
        const std::string heading = clean(title(), 120);
        return svg_picture(
            attributes, fmt::format("<title>{}</title>\n", xml_escaped(heading)) + svg_timeline_definitions() +
                            "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n" +
                            text_at(margin, title_line, heading, "font-size=\"15\" font-weight=\"600\"") + elements_);
    }

private:
    struct Row {
        TimelineRow of;
        int y = 0;
        int height = 0;
    };

    static std::string clean(const std::string& text, int columns) { return terminal_text(text, columns); }

    std::string title() const {
        const std::string name = timeline_.title.empty() ? "" : timeline_.title + ": ";
        return fmt::format("{}{} rank{}, {}", name, timeline_.ranks, timeline_.ranks == 1 ? "" : "s",
                           end_ == Time{} ? "nothing took any time" : time_text(end_, 5)) +
               (timeline_.fault.empty() ? "" : ", broke off");
    }

    std::string name_of(const TimelineRow& row) const {
        if (row.stream != 0) {
            return clean(timeline_.name_of(static_cast<Stream>(row.stream)), longest_row_name);
        }
        const std::string name = timeline_.name_of(row.rank);
        return clean(
            timeline_.axes.size() < 2 ? name : fmt::format("{} ({})", name, timeline_.coordinates_of(row.rank)),
            longest_row_name);
    }

    void lay_out() {
        const std::vector<TimelineRow> all = timeline_rows(timeline_);
        const std::vector<TimelineRow> shown = shown_rows(all, style_.most_rows, timeline_.fault_rank);
        int longest = 0;
        y_ = first_row;
        std::ptrdiff_t next = 0;
        for (const TimelineRow& row : shown) {
            const auto place = std::lower_bound(all.begin(), all.end(), row) - all.begin();
            if (place > next) {
                elements_ +=
                    text_at(margin, y_ + 12, fmt::format("… {} rows left out", place - next), "class=\"faint\"");
                y_ += 18;
            }
            next = place + 1;
            y_ += row.stream == 0 || rows_.empty() ? between_rows : 2;
            rows_.push_back({row, y_, row.stream == 0 ? row_height : stream_height});
            y_ += rows_.back().height;
            longest = std::max(longest, columns_of(name_of(row)));
        }
        left_ = 2 * margin + letter_width * longest;
        const int room = std::max(style_.width - left_ - margin, narrowest);
        columns_ = {.end = end_,
                    .count = static_cast<int>(std::min<std::int64_t>(room, end_.time_since_epoch().count()))};
    }

    void draw_axis() {
        for (const Tick& tick : time_ticks(end_, std::max(2, columns_.count / pixels_of_a_tick))) {
            const int x = left_ + columns_.at(tick.at);
            elements_ += fmt::format("<path d=\"M{}.5 {}V{}\" class=\"tick\"/>\n", x, axis_line + 4, y_ + 4);
            elements_ += text_at(x, axis_line, tick.text, "class=\"faint\" font-size=\"11\"");
        }
    }

    // The class of each column of each row that shows a computation: its pass's colour, or compute.
    std::vector<std::vector<std::string>> classes_of_computations() const {
        std::vector<std::vector<std::string>> names(
            rows_.size(), std::vector<std::string>(static_cast<std::size_t>(columns_.count), "compute"));
        for (const Span& span : timeline_.spans) {
            const Row* const row = span.kind == OpKind::compute ? row_of(span) : nullptr;
            const std::optional<Pass> pass = row == nullptr ? std::nullopt : pass_of(*span.label);
            if (pass) {
                std::vector<std::string>& of_row = names[static_cast<std::size_t>(row - rows_.data())];
                std::fill(of_row.begin() + columns_.nearest(span.begin), of_row.begin() + columns_.nearest(span.end),
                          colour_of(*pass));
            }
        }
        return names;
    }

    // Equal neighbours form one rectangle, and all rectangles of one class form one path.
    void draw_cells() {
        std::vector<TimelineRow> of;
        for (const Row& row : rows_) {
            of.push_back(row.of);
        }
        const auto cells =
            timeline_cells(timeline_, of, {.columns = columns_, .now = end_, .broken_off = timeline_.broken_off()});
        const auto computations = classes_of_computations();
        std::map<std::pair<CellFill, std::string>, std::string> paths;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto key = [&](std::size_t column) {
                const CellFill fill = cells[i][column];
                return std::pair{fill, fill == CellFill::compute ? computations[i][column] : class_of(fill)};
            };
            for (std::size_t begin = 0, next = 0; begin < cells[i].size(); begin = next) {
                while (next < cells[i].size() && key(next) == key(begin)) {
                    ++next;
                }
                const auto [of_row, y, height] = rows_[i];
                paths[key(begin)] += fmt::format("M{} {}h{}v{}h-{}z", left_ + static_cast<int>(begin), y, next - begin,
                                                 height, next - begin);
            }
        }
        for (const auto& [key, path] : paths) {
            const auto& [fill, name] = key;
            if (fill != CellFill::nothing) {
                if (!is_of_pass(name)) {
                    seen_.insert(fill);
                }
                elements_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", name, path);
            }
        }
    }

    const Row* row_of(const Span& span) const { return row_of(drawn_row(timeline_, span)); }
    const Row* row_of(const TimelineRow& wanted) const {
        const auto row = std::lower_bound(rows_.begin(), rows_.end(), wanted,
                                          [](const Row& a, const TimelineRow& b) { return a.of < b; });
        return row == rows_.end() || row->of != wanted ? nullptr : &*row;
    }

    // The spans in an order that is the same on every host; the timeline does not guarantee one across ranks.
    std::vector<const Span*> in_order() const {
        std::vector<const Span*> spans;
        for (const Span& span : timeline_.spans) {
            spans.push_back(&span);
        }
        std::stable_sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) {
            return std::tie(a->rank, a->stream, a->begin, a->end, a->op_number) <
                   std::tie(b->rank, b->stream, b->begin, b->end, b->op_number);
        });
        return spans;
    }

    // Draws a line at the begin of each span of the row's program, and a computation's short name if there is room.
    void draw_labels() {
        std::string cuts;
        std::map<std::string, std::string> texts;  // by class of the text
        for (const Span* one : in_order()) {
            const Span& span = *one;
            const Row* const row = row_of(span);
            if (row == nullptr || span.stream == Stream::own || !takes_time(span)) {
                continue;
            }
            const int begin = columns_.nearest(span.begin);
            const int length = columns_.nearest(span.end) - begin;
            const bool is_inside = !timeline_.counts(span);
            if (begin > 0 && length >= 4 && !is_inside) {
                cuts += fmt::format("M{} {}v{}", left_ + begin, row->y, row->height);
            }
            const std::string& form = span.kind == OpKind::compute || is_inside ? letters_.short_form(span) : "";
            if (!form.empty() && length >= label_width * static_cast<int>(form.size()) + 2) {
                const std::optional<Pass> pass = is_inside ? std::nullopt : pass_of(*span.label);
                texts[!pass              ? "on"
                      : pass->is_forward ? "on-f"
                                         : "on-b"] +=
                    text_at(left_ + begin + length / 2, row->y + row->height / 2 + 4, form);
                letters_seen_.emplace(form.front(), pass ? colour_of(*pass) : is_inside ? "collective" : "compute");
            }
        }
        elements_ += cuts.empty() ? "" : fmt::format("<path class=\"cut\" d=\"{}\"/>\n", cuts);
        for (const auto& [name, of_class] : texts) {
            elements_ +=
                fmt::format("<g class=\"{}\" text-anchor=\"middle\" font-size=\"10\">\n{}</g>\n", name, of_class);
        }
    }

    // Names the waits of a pipeline where there is room.
    void draw_waits() {
        std::string texts;
        for (const WaitingTime& one : pipeline_waits(timeline_)) {
            const Row* const row = row_of(TimelineRow{one.rank, 0});
            const int begin = columns_.nearest(one.begin);
            const int length = columns_.nearest(one.end) - begin;
            const std::string name = report::name_of(one.wait);
            if (row != nullptr && length >= label_width * static_cast<int>(name.size()) + 8) {
                texts += text_at(left_ + begin + length / 2, row->y + row->height / 2 + 4, name);
            }
        }
        elements_ +=
            texts.empty() ? "" : "<g class=\"wait\" text-anchor=\"middle\" font-size=\"10\">\n" + texts + "</g>\n";
    }

    // Arrows go from the begin of a message's transmission to its arrival.
    void draw_arrows() {
        const std::vector<Arrow> arrows = arrows_of(timeline_.spans);
        if (arrows.size() > static_cast<std::size_t>(style_.most_arrows)) {
            return;
        }
        std::vector<std::array<int, 4>> lines;
        for (const Arrow& arrow : arrows) {
            const Span& send = timeline_.spans[arrow.send];
            const Span& receive = timeline_.spans[arrow.receive];
            const Row* const from = row_of(send);
            const Row* const to = row_of(receive);
            if (from == nullptr || to == nullptr || from == to) {
                continue;
            }
            const bool down = from->y < to->y;
            lines.push_back({left_ + columns_.nearest(send.begin + send.idle), from->y + (down ? from->height : 0),
                             left_ + columns_.nearest(receive.end), to->y + (down ? 0 : to->height)});
        }
        std::sort(lines.begin(), lines.end());
        for (const auto& [x, y, to_x, to_y] : lines) {
            elements_ += fmt::format("<path class=\"arrow\" d=\"M{} {}L{} {}\"/>\n", x, y, to_x, to_y);
        }
    }

    void draw_names() {
        for (const Row& row : rows_) {
            const bool is_stream = row.of.stream != 0;
            elements_ +=
                text_at(left_ - margin / 2, row.y + row.height / 2 + 4, name_of(row.of),
                        is_stream ? "text-anchor=\"end\" class=\"faint\" font-size=\"10\"" : "text-anchor=\"end\"");
            if (!is_stream && row.of.rank == timeline_.fault_rank) {
                const std::string word = timeline_.fault_word.empty() ? "ended" : timeline_.fault_word;
                elements_ += text_at(left_ + columns_.at(timeline_.broken_off()) + 4, row.y + row.height / 2 + 4,
                                     "× " + clean(word, 20), "class=\"end\"");
            }
        }
    }

    // `sign` precedes the words: a letter, or else a box with the fill.
    void add_to_legend(const std::string& words, const std::string& fill, char sign) {
        const int needed = 20 + letter_width * columns_of(words) + margin;
        if (legend_x_ > margin && legend_x_ + needed > style_.width) {
            legend_x_ = margin;
            y_ += legend_line;
        }
        elements_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"13\" class=\"{}\"/>\n", legend_x_,
                                 y_ - 11, fill);
        if (sign != 0) {
            const std::string ink =
                is_of_pass(fill) ? fmt::format("style=\"fill:var(--on-{})\"", fill.front()) : "class=\"on\"";
            elements_ += text_at(legend_x_ + 7, y_, {sign}, ink + " text-anchor=\"middle\" font-size=\"11\"");
        }
        elements_ += text_at(legend_x_ + 20, y_, words);
        legend_x_ += needed;
    }

    void draw_legend() {
        y_ += 30;
        for (const CellFill fill : seen_) {
            add_to_legend(word_of(fill), class_of(fill), 0);
        }
        for (const auto& [sign, name] : letters_seen_) {
            add_to_legend(clean(letters_.meaning(sign), 60), name, sign);
        }
        y_ += margin;
        draw_account();
    }

    // Gives the step's whole account in words, because a column shows only what fills most of it.
    void draw_account() {
        if (timeline_.account.empty()) {
            return;
        }
        const auto seconds = mean_time(timeline_);
        const double step = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        std::string words;
        for (std::size_t kind = 0; kind < seconds.size(); ++kind) {
            if (seconds[kind] > 0) {
                words += fmt::format("{}{} {}", words.empty() ? "Time of all ranks: " : ", ",
                                     title_of(static_cast<TimeCategory>(kind)), percent_text(seconds[kind] / step));
            }
        }
        y_ += 6;
        elements_ += text_at(margin, y_, words);
        y_ += margin;
    }

    const Timeline& timeline_;
    const SvgStyle& style_;
    LabelLetters letters_;
    Time end_;
    std::vector<Row> rows_;
    int left_ = 0;
    int y_ = first_row;  // bottom of what is drawn so far
    int legend_x_ = margin;
    TimeColumns columns_;
    std::set<CellFill> seen_;
    std::map<char, std::string> letters_seen_;  // the class of each letter's box
    std::string elements_;
};

}  // namespace

std::string svg_timeline(const Timeline& timeline, const SvgStyle& style) {
    return SvgTimeline(timeline, style).draw();
}

}  // namespace sim::report
