// An explanation says why a run takes as long as it does: sections of sentences, figures and tables, verdict first.
//
// It is a single value; text, JSON and the report page are three views of it.
#pragma once

#include "libsim/explain/figure.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::explain {

// In display order.
enum class SectionKind : std::uint8_t {
    choice,  // --which alone
    verdict,
    budget,
    holdings,
    links,
    synchronisation,
    speedup,
    pipeline,
    stragglers,
    memory,
    processes,
    input,
    topology,
    failures,
    energy,
    cost,
    advice,
    assumptions,
};
// The key in JSON: "verdict".
const char* key_of(SectionKind kind);
// The title in text: "The verdict".
const char* title_of(SectionKind kind);

// {KEY} in the text stands for the section's figure of this key: a sentence holds no numbers of its own.
struct Sentence {
    std::string text;
    std::string simply = "";  // wording for a beginner; empty: the same
};

// A line of the short level, which says the figures that it names in place of the sentences.
struct BriefLine {
    std::string name;  // "memory"; empty: the text alone
    std::string text;
};

struct Section {
    SectionKind kind = SectionKind::verdict;
    std::vector<BriefLine> brief = {};
    std::vector<Sentence> said = {};  // shown before the figures
    std::vector<Figure> figures = {};
    std::vector<FigureTable> tables = {};
    std::vector<std::string> drawing = {};  // preformatted lines, such as a tree
    std::vector<Sentence> notes = {};       // shown after the drawing

    // Requires: the section has this figure.
    const Figure& figure(const std::string& key) const;
};

// `brief` is what `ndsim train` and `ndsim memory` print: lines and tables, without their origin. The other two are the
// levels of `ndsim explain`, which show sentences, every figure and where it comes from.
enum class Level : std::uint8_t { field, beginner, brief };
constexpr const char* name_of(Level level) {
    return level == Level::beginner ? "beginner" : level == Level::brief ? "short" : "field";
}

struct Explanation {
    std::string title;     // "llama3-8b on 8 x H100 …"
    std::string subtitle;  // shown at the short level: "16 micro-batches of 1 x 8192 tokens …"
    std::string of;        // command of the explained run: "ndsim train --model …"
    std::string scenario;  // its name; empty: a step of ndsim train
    Level level = Level::field;
    std::vector<Section> sections;
};

// Fills the figures into the text, or into the sentence in the wording of the explanation's level.
std::string filled(const Section& section, const std::string& text);
std::string filled(const Section& section, const Sentence& sentence, Level level);

// The rows and columns of the section that the level shows.
Section at_level(Section section, Level level);

// The view for people. Lines end with "\n"; all except tables are at most 120 columns wide.
std::string text_of(const Explanation& explanation);
// The text of a section below its title. A table of more than 16 rows is cut, and says how many it has.
std::string text_of(const Section& section, Level level);
// The view for programs: one object on one line. Every figure has its value, unit, origin and text.
std::string json_of(const Explanation& explanation);
// The view for spreadsheets: section, figure ("step_seconds", "stages.0.bytes"), full value, unit, and origin.
report::Table table_of(const Explanation& explanation);
// tools/schemas/explain.schema.json, and its part of columns.json.
report::SchemaText explain_schema();
report::SchemaText explain_columns();

}  // namespace sim::explain
