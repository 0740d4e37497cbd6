// The text view of an explanation and of a section, for people.
#include "libsim/config/shell_command.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/vocabulary.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::explain {

namespace {

constexpr std::size_t page_width = 110;
constexpr std::size_t most_rows_shown = 16;
constexpr std::size_t page_margin = 2;

using report::Align;
using report::TextTable;
using report::wrapped;

bool is_text(Unit unit) {
    return unit == Unit::words || unit == Unit::command;
}

bool is_named(const std::vector<Sentence>& sentences, const std::string& key) {
    return std::any_of(sentences.begin(), sentences.end(), [&](const Sentence& sentence) {
        return sentence.text.find("{" + key + "}") != std::string::npos;
    });
}

// "NAME: COMMAND", in lines that can be pasted: a long command continues after a backslash.
std::string command_text(const std::string& name, const std::string& command, std::size_t width, std::size_t margin) {
    const std::string before = std::string(margin, ' ') + name + ": ";
    return before +
           config::continued_command(report::terminal_text(command, 1 << 20), width, before.size(), margin + 4);
}

// Omits texts that a sentence already contains.
std::string figures_text(const Section& section) {
    TextTable table{
        .columns = {{"", Align::left}, {""}, {"", Align::left}}, .rows = {}, .margin = std::string(page_margin, ' ')};
    std::string texts;
    for (const Figure& figure : section.figures) {
        if (is_text(figure.unit) && is_named(section.said, figure.key)) {
            continue;
        }
        if (is_text(figure.unit)) {
            const std::string value = shown(figure.value, figure.unit);
            texts += figure.unit == Unit::command
                         ? command_text(figure.name, value, page_width, page_margin)
                         : wrapped(fmt::format("{}: {}", figure.name, value), page_width, page_margin);
        } else {
            table.rows.push_back({{figure.name, shown(figure.value, figure.unit), figure.how}});
        }
    }
    return texts + (table.rows.empty() ? "" : text_of(table));
}

// Groups columns by origin: "params, grads: the memory model".
std::string ways_text(const std::vector<FigureColumn>& columns) {
    std::vector<std::pair<std::string, std::string>> ways;
    for (const FigureColumn& column : columns) {
        if (column.how.empty()) {
            continue;
        }
        const auto same =
            std::find_if(ways.begin(), ways.end(), [&](const auto& way) { return way.first == column.how; });
        if (same == ways.end()) {
            ways.emplace_back(column.how, column.heading);
        } else {
            same->second += ", " + column.heading;
        }
    }
    std::string text;
    for (const auto& [how, headings] : ways) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", headings, how);
    }
    return text.empty() ? "" : wrapped(fmt::format("({})", text), page_width, page_margin);
}

bool is_list(const FigureTable& table) {
    return table.columns.size() == 1 && is_text(table.columns.front().unit);
}

// A table with one column of words, in full.
std::string list_text(const FigureTable& table) {
    std::string text = table.title.empty() ? "" : wrapped(table.title, page_width, page_margin);
    for (const FigureRow& row : table.rows) {
        text += wrapped("- " + shown(row.cells.front(), table.columns.front().unit), page_width, page_margin);
    }
    return text;
}

// The rows that a text has room for.
std::vector<std::size_t> rows_shown(const FigureTable& table) {
    if (table.rows.size() > most_rows_shown && !table.picked.empty()) {
        return table.picked;
    }
    std::vector<std::size_t> rows(std::min(table.rows.size(), most_rows_shown));
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

std::string table_text(const FigureTable& table, Level level) {
    if (is_list(table)) {
        return list_text(table);
    }
    TextTable text{.columns = {}, .rows = {}, .margin = std::string(page_margin, ' ')};
    for (const FigureColumn& column : table.columns) {
        text.columns.push_back({column.heading, is_text(column.unit) ? Align::left : Align::right});
    }
    const std::vector<std::size_t> shown_rows = rows_shown(table);
    for (const std::size_t i : shown_rows) {
        std::vector<std::string> cells;
        for (std::size_t j = 0; j < table.rows[i].cells.size(); ++j) {
            cells.push_back(shown(table.rows[i].cells[j], table.columns[j].unit));
        }
        text.rows.push_back({std::move(cells)});
    }
    std::string result = table.title.empty() ? "" : wrapped(table.title, page_width, page_margin);
    result += text_of(text);
    if (shown_rows.size() < table.rows.size()) {
        result += fmt::format("  {} more of {} rows: --json has them\n", table.rows.size() - shown_rows.size(),
                              table.rows.size());
    }
    result += level == Level::brief ? "" : ways_text(table.columns);
    return table.note.empty() ? result : result + wrapped(table.note, page_width, page_margin);
}

// Lines with a name stand in a table; others are sentences.
std::string brief_text(const Section& section) {
    TextTable names = report::list_of_names(std::string(page_margin, ' '));
    std::string sentences;
    for (const BriefLine& line : section.brief) {
        const std::string text = filled(section, line.text);
        if (line.name.empty()) {
            sentences += wrapped(text, page_width, page_margin);
        } else {
            names.rows.push_back({{line.name, text}});
        }
    }
    return (names.rows.empty() ? "" : text_of(names)) + sentences;
}

std::string drawing_text(const Section& section) {
    std::string text;
    for (const std::string& line : section.drawing) {
        text += fmt::format("  {}\n", report::terminal_text(line, 1 << 20));
    }
    return text;
}

std::string introduced(const std::vector<const Term*>& words) {
    std::string text;
    for (const Term* const term : words) {
        text += wrapped(fmt::format("* {}: {}", term->word, term->meaning), page_width, 2);
    }
    return text.empty() ? "" : "  New words\n" + text + "\n";
}

}  // namespace

std::string text_of(const Section& section, Level level) {
    const bool is_brief = level == Level::brief;
    std::string text = is_brief ? brief_text(section) + drawing_text(section) : "";
    for (const Sentence& sentence : section.said) {
        text += wrapped(filled(section, sentence, level), page_width, page_margin);
    }
    text += is_brief ? "" : figures_text(section);
    for (const FigureTable& table : section.tables) {
        text += (text.empty() ? "" : "\n") + table_text(table, level);
    }
    if (is_brief) {
        return text;
    }
    text += section.drawing.empty() || text.empty() ? "" : "\n";
    text += drawing_text(section);
    for (const Sentence& sentence : section.notes) {
        text += wrapped(filled(section, sentence, level), page_width, page_margin);
    }
    return text;
}

std::string text_of(const Explanation& explanation) {
    const auto words = introductions(explanation);
    const bool is_brief = explanation.level == Level::brief;
    std::string text = introduced(words[0]);
    text += wrapped(explanation.title, page_width, 0);
    text += is_brief ? wrapped(explanation.subtitle, page_width, 0)
                     : command_text("explains", explanation.of, page_width, 0);
    for (std::size_t i = 0; i < explanation.sections.size(); ++i) {
        const Section& section = explanation.sections[i];
        const std::string title = is_brief ? (i == 0 ? "" : fmt::format("{}\n", title_of(section.kind)))
                                           : fmt::format("{}. {}\n", i + 1, title_of(section.kind));
        const std::string body = text_of(section, explanation.level);
        text += is_brief && body.empty() ? "" : "\n" + introduced(words[i + 1]) + title + body;
    }
    return text;
}

}  // namespace sim::explain
