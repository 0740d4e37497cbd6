// An explanation says why a run takes as long as it does: sections of sentences, figures and tables, verdict first.
//
// It is one value, of which text, JSON and the report page are three views.
#pragma once

#include "libsim/explain/figure.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::explain {

// In the order in which they are shown.
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
// "verdict", as JSON has it.
const char* key_of(SectionKind kind);
// "The verdict"
const char* title_of(SectionKind kind);

// {KEY} in it stands for the section's figure of this key: a sentence has no number of its own.
struct Sentence {
    std::string text;
    std::string simply = "";  // for a beginner; empty: the same
};

struct Section {
    SectionKind kind = SectionKind::verdict;
    std::vector<Sentence> said = {};  // in front of the figures
    std::vector<Figure> figures = {};
    std::vector<FigureTable> tables = {};
    std::vector<std::string> drawing = {};  // lines of text as they stand: a tree
    std::vector<Sentence> notes = {};       // behind it

    // Requires: there is such a figure.
    const Figure& figure(const std::string& key) const;
};

enum class Level : std::uint8_t { field, beginner };
constexpr const char* name_of(Level level) {
    return level == Level::beginner ? "beginner" : "field";
}

struct Explanation {
    std::string title;     // "llama3-8b on 8 x H100 …"
    std::string of;        // what is explained, as a command: "ndsim train --model …"
    std::string scenario;  // its name; empty: a step of ndsim train
    Level level = Level::field;
    std::vector<Section> sections;
};

// The sentence with its figures in it, at the explanation's level.
std::string filled(const Section& section, const Sentence& sentence, Level level);

// For people. Lines end with "\n", and are at most 120 columns wide, but for tables.
std::string text_of(const Explanation& explanation);
// For programs: one object on one line. Every figure has its value, its unit, how it
// was found, and its text.
std::string json_of(const Explanation& explanation);
// For spreadsheets: section, figure ("step_seconds", "stages.0.bytes"), value in full, unit, and how it was found.
report::Table table_of(const Explanation& explanation);
// tools/schemas/explain.schema.json, and its part of columns.json.
report::SchemaText explain_schema();
report::SchemaText explain_columns();

}  // namespace sim::explain
