#include "libsim/explain/explanation.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <array>

namespace sim::explain {

namespace {

struct SectionRow {
    const char* key;
    const char* title;
};
// In the order of SectionKind.
constexpr std::array section_rows{
    SectionRow{"choice", "Which parallelism"},
    SectionRow{"verdict", "Verdict"},
    SectionRow{"budget", "Where the time of a step goes"},
    SectionRow{"holdings", "Who holds what"},
    SectionRow{"links", "Links and their traffic"},
    SectionRow{"synchronisation", "Synchronisation in each step"},
    SectionRow{"speedup", "Speedup over one GPU, and the losses"},
    SectionRow{"pipeline", "Pipeline bubble"},
    SectionRow{"stragglers", "Stragglers"},
    SectionRow{"memory", "Memory of each process"},
    SectionRow{"processes", "Processes"},
    SectionRow{"input", "Input pipeline"},
    SectionRow{"topology", "Effect of the topology"},
    SectionRow{"failures", "What happens when something is killed"},
    SectionRow{"energy", "Power and energy"},
    SectionRow{"cost", "Cost"},
    SectionRow{"advice", "What to try"},
    SectionRow{"assumptions", "Assumptions"},
};

}  // namespace

const char* key_of(SectionKind kind) {
    return section_rows.at(static_cast<std::size_t>(kind)).key;
}

const char* title_of(SectionKind kind) {
    return section_rows.at(static_cast<std::size_t>(kind)).title;
}

const Figure& Section::figure(const std::string& key) const {
    const auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure& one) { return one.key == key; });
    check(found != figures.end(), "a sentence names the figure {}, which its section lacks", key);
    return *found;
}

std::string filled(const Section& section, const Sentence& sentence, Level level) {
    return filled(section, level == Level::beginner && !sentence.simply.empty() ? sentence.simply : sentence.text);
}

std::string filled(const Section& section, const std::string& text) {
    std::string result;
    std::size_t at = 0;
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
        const std::size_t close = text.find('}', open);
        check(close != std::string::npos, "a sentence opens a figure and does not close it: {}", text);
        const Figure& figure = section.figure(text.substr(open + 1, close - open - 1));
        result += text.substr(at, open - at) + shown(figure.value, figure.unit);
        at = close + 1;
    }
    return result + text.substr(at);
}

Section at_level(Section section, Level level) {
    const Shown hidden = level == Level::brief ? Shown::full : Shown::brief;
    if (level == Level::brief) {
        section.said.clear();
        section.notes.clear();
    } else {
        section.brief.clear();
        std::erase_if(section.figures, [&](const Figure& one) { return one.at == hidden; });
    }
    std::erase_if(section.tables, [&](const FigureTable& one) { return one.at == hidden; });
    for (FigureTable& table : section.tables) {
        for (std::size_t i = table.columns.size(); i-- > 0;) {
            if (table.columns[i].at == hidden) {
                const auto column = static_cast<std::ptrdiff_t>(i);
                table.columns.erase(table.columns.begin() + column);
                for (FigureRow& row : table.rows) {
                    row.cells.erase(row.cells.begin() + column);
                }
            }
        }
    }
    return section;
}

}  // namespace sim::explain
