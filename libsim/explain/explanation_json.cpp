// The JSON view of an explanation, for programs.
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/vocabulary.hpp"
#include "libsim/report/record.hpp"

#include <fmt/ranges.h>

namespace sim::explain {

using namespace report;
using namespace report::keys;

namespace {

using Words = std::vector<const Term*>;

struct ShownSection {
    const Section* section;
    Words words;
    Level level;
};

// The heading of a column, or a cell below it.
struct ShownCell {
    const FigureColumn* column;
    const FigureRow* row;
    const Value* value;
};

template <class T, class Get>
Field<T> value_field(Get value) {
    return field_of<T>("value", {{"$ref", "#/definitions/value"}},
                       [value](const T& of) { return held(std::invoke(value, of)); });
}

template <class T, class Get>
Field<T> same_as_field(Get pointer) {
    return field_of<T>("same_as", {{"$ref", "#/definitions/same_as"}}, [pointer](const T& of) {
        const std::string text = std::invoke(pointer, of);
        return text.empty() ? Json(nullptr) : Json(text);
    });
}

template <class T, class Get>
Field<T> words_field(Get words) {
    return field_of<T>("words", {{"$ref", "#/definitions/words"}}, [words](const T& of) {
        Json object = Json::object();
        for (const Term* const term : std::invoke(words, of)) {
            object[term->word] = term->meaning;
        }
        return object;
    });
}

template <class T>
Field<T> unit_field(const char* description) {
    return name<T>("unit", description, [](const T& of) { return name_of(of.unit); });
}

const Record<Figure>& figure_record() {
    static const Record<Figure> record(
        "One figure.",
        {free_text<Figure>("name", "Its name, in words.", &Figure::name), value_field<Figure>(&Figure::value),
         unit_field<Figure>("Unit of the value, such as seconds or bytes."),
         free_text<Figure>("text", "The value as the text shows it.",
                           [](const Figure& of) { return shown(of.value, of.unit); }),
         free_text<Figure>("how", "Its origin: simulated, a formula, or a file.", &Figure::how),
         same_as_field<Figure>(&Figure::same_as)});
    return record;
}

const Record<FigureColumn>& column_record() {
    static const Record<FigureColumn> record(
        "One column.", {free_text<FigureColumn>("name", "Its heading.", &FigureColumn::heading),
                        unit_field<FigureColumn>("Unit of its values, such as seconds or bytes."),
                        free_text<FigureColumn>("how", "Origin of its values.", &FigureColumn::how)});
    return record;
}

// Points to the same value in the result if both the row and the column of the cell do.
std::string same_as_of(const ShownCell& cell) {
    const bool both = !cell.row->same_as.empty() && !cell.column->same_as.empty();
    return both ? cell.row->same_as + "/" + cell.column->same_as : "";
}

const Record<ShownCell>& cell_record() {
    static const Record<ShownCell> record(
        "One cell.", {value_field<ShownCell>([](const ShownCell& of) { return *of.value; }),
                      free_text<ShownCell>("text", "The value as the text shows it.",
                                           [](const ShownCell& of) { return shown(*of.value, of.column->unit); }),
                      same_as_field<ShownCell>(same_as_of)});
    return record;
}

// Pairs each element with its key.
template <class T>
std::vector<std::pair<std::string, T>> keyed(const std::vector<T>& all) {
    std::vector<std::pair<std::string, T>> pairs;
    for (const T& one : all) {
        pairs.emplace_back(one.key, one);
    }
    return pairs;
}

std::vector<std::vector<std::pair<std::string, ShownCell>>> rows_of(const FigureTable& table) {
    std::vector<std::vector<std::pair<std::string, ShownCell>>> rows;
    for (const FigureRow& row : table.rows) {
        auto& cells = rows.emplace_back();
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            cells.emplace_back(table.columns[i].key, ShownCell{&table.columns[i], &row, &row.cells[i]});
        }
    }
    return rows;
}

const Record<FigureTable>& table_record() {
    static const Record<FigureTable> record(
        "One table.",
        {free_text<FigureTable>("title", "Its title.", &FigureTable::title),
         map_of<FigureTable>("columns", "Its columns by their keys, from left to right.", "COLUMN", column_record(),
                             [](const FigureTable& of) { return keyed(of.columns); }),
         list_of_maps<FigureTable>("rows", "Its rows, in order.", "One row: its cells by the keys of the columns.",
                                   "COLUMN", cell_record(), rows_of),
         free_text<FigureTable>("note", "A sentence below it; empty: none.", &FigureTable::note)});
    return record;
}

Field<ShownSection> sentences(const char* key, const char* description, std::vector<Sentence> Section::*member) {
    return texts<ShownSection>(key, description, "A sentence.", [member](const ShownSection& of) {
        std::vector<std::string> all;
        for (const Sentence& sentence : of.section->*member) {
            all.push_back(filled(*of.section, sentence, of.level));
        }
        return all;
    });
}

const Record<ShownSection>& section_record() {
    using Shown = ShownSection;
    static const Record<Shown> record(
        "One section.",
        {free_text<Shown>("title", "Its title.", [](const Shown& of) { return title_of(of.section->kind); }),
         words_field<Shown>(&Shown::words), sentences("said", "Sentences at its beginning.", &Section::said),
         map_of<Shown>("figures", "Its figures by their keys.", "FIGURE", figure_record(),
                       [](const Shown& of) { return keyed(of.section->figures); }),
         map_of<Shown>("tables", "Its tables by their keys.", "TABLE", table_record(),
                       [](const Shown& of) { return keyed(of.section->tables); }),
         texts<Shown>("drawing", "Lines that are shown as they stand, such as a tree.", "A line.",
                      [](const Shown& of) { return of.section->drawing; }),
         sentences("notes", "Sentences at its end.", &Section::notes)});
    return record;
}

struct ShownExplanation {
    const Explanation* explanation;
    std::vector<Words> words;  // for the title, and for each section
};

std::vector<std::pair<std::string, ShownSection>> shown_sections(const ShownExplanation& of) {
    std::vector<std::pair<std::string, ShownSection>> sections;
    for (std::size_t i = 0; i < of.explanation->sections.size(); ++i) {
        const Section& section = of.explanation->sections[i];
        sections.emplace_back(key_of(section.kind), ShownSection{&section, of.words[i + 1], of.explanation->level});
    }
    return sections;
}

std::string keys_of_sections() {
    std::vector<std::string> keys;
    for (int kind = static_cast<int>(SectionKind::verdict); kind <= static_cast<int>(SectionKind::assumptions);
         ++kind) {
        keys.emplace_back(key_of(static_cast<SectionKind>(kind)));
    }
    return fmt::format("{}", fmt::join(keys, ", "));
}

const Record<ShownExplanation>& explanation_record() {
    using Shown = ShownExplanation;
    static const Record<Shown> record(
        "An explanation, in sections, of why a training step or a scenario's run takes as long as it does.",
        {command<Shown>("explain"),
         free_text<Shown>("title", "The explained run, in one line.",
                          [](const Shown& of) { return of.explanation->title; }),
         free_text<Shown>("explains",
                          "Command of the explained run: with --json it prints the result that same_as refers to.",
                          [](const Shown& of) { return of.explanation->of; }),
         or_null(name<Shown>("scenario", "Scenario that is explained; null: a training step of ndsim train.",
                             [](const Shown&) { return ""; }),
                 [](const Shown& of) {
                     const std::string& scenario = of.explanation->scenario;
                     return scenario.empty() ? std::nullopt : std::optional(scenario);
                 }),
         one_of<Shown>("level", {name_of(Level::field), name_of(Level::beginner)}, "Audience of the wording.",
                       [](const Shown& of) { return name_of(of.explanation->level); }),
         words_field<Shown>([](const Shown& of) { return of.words.front(); }),
         map_of<Shown>("sections", "Sections by their keys, in order: " + keys_of_sections() + "; with --which choice.",
                       "SECTION", section_record(), shown_sections)});
    return record;
}

}  // namespace

std::string json_of(const Explanation& explanation) {
    return json_line(explanation_record().json({&explanation, introductions(explanation)}));
}

SchemaText explain_schema() {
    Json schema = explanation_record().schema();
    schema["definitions"] = {
        {"words",
         {{"type", "object"},
          {"description",
           "With --level beginner: the terms that are introduced here, because they are used for the first time "
           "below."},
          {"additionalProperties",
           {{"title", "TERM"}, {"type", "string"}, {"description", "Meaning of the term, in one sentence."}}}}},
        {"value",
         {{"type", {"number", "string", "null"}}, {"description", "The full value; null: unknown or not applicable."}}},
        {"same_as",
         {{"type", {"string", "null"}},
          {"description",
           "JSON pointer to exactly the same value in the result of the command of explains; null: none."}}}};
    return schema_of_command("explain", schema);
}

}  // namespace sim::explain
