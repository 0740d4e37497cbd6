// An explanation as JSON, for programs.
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/vocabulary.hpp"

#include <nlohmann/json.hpp>

namespace sim::explain {

namespace {

using Json = nlohmann::ordered_json;

Json value_of(const Value& value) {
    return std::visit(
        [](const auto& one) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) {
                return nullptr;
            } else {
                return one;
            }
        },
        value);
}

Json pointer_of(const std::string& pointer) {
    return pointer.empty() ? Json(nullptr) : Json(pointer);
}

Json figures_of(const std::vector<Figure>& figures) {
    Json object = Json::object();
    for (const Figure& figure : figures) {
        object[figure.key] = {{"name", figure.name},
                              {"value", value_of(figure.value)},
                              {"unit", name_of(figure.unit)},
                              {"text", shown(figure.value, figure.unit)},
                              {"how", figure.how},
                              {"same_as", pointer_of(figure.same_as)}};
    }
    return object;
}

Json columns_of(const std::vector<FigureColumn>& columns) {
    Json object = Json::object();
    for (const FigureColumn& column : columns) {
        object[column.key] = {{"name", column.heading}, {"unit", name_of(column.unit)}, {"how", column.how}};
    }
    return object;
}

// A cell has the same as the row and the column that it lies in, where both say so.
Json row_of(const std::vector<FigureColumn>& columns, const FigureRow& row) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const FigureColumn& column = columns[i];
        const bool shared = !row.same_as.empty() && !column.same_as.empty();
        object[column.key] = {{"value", value_of(row.cells[i])},
                              {"text", shown(row.cells[i], column.unit)},
                              {"same_as", pointer_of(shared ? row.same_as + "/" + column.same_as : "")}};
    }
    return object;
}

Json tables_of(const std::vector<FigureTable>& tables) {
    Json object = Json::object();
    for (const FigureTable& table : tables) {
        Json rows = Json::array();
        for (const FigureRow& row : table.rows) {
            rows.push_back(row_of(table.columns, row));
        }
        object[table.key] = {{"title", table.title},
                             {"columns", columns_of(table.columns)},
                             {"rows", std::move(rows)},
                             {"note", table.note}};
    }
    return object;
}

Json sentences_of(const Section& section, const std::vector<Sentence>& sentences, Level level) {
    Json list = Json::array();
    for (const Sentence& sentence : sentences) {
        list.push_back(filled(section, sentence, level));
    }
    return list;
}

Json words_of(const std::vector<const Term*>& words) {
    Json object = Json::object();
    for (const Term* const term : words) {
        object[term->word] = term->meaning;
    }
    return object;
}

Json section_of(const Section& section, const std::vector<const Term*>& words, Level level) {
    return {{"title", title_of(section.kind)},
            {"words", words_of(words)},
            {"said", sentences_of(section, section.said, level)},
            {"figures", figures_of(section.figures)},
            {"tables", tables_of(section.tables)},
            {"drawing", section.drawing},
            {"notes", sentences_of(section, section.notes, level)}};
}

}  // namespace

std::string json_of(const Explanation& explanation) {
    const auto words = introductions(explanation);
    Json object{{"command", "explain"},
                {"title", explanation.title},
                {"explains", explanation.of},
                {"scenario", explanation.scenario.empty() ? Json(nullptr) : Json(explanation.scenario)},
                {"level", name_of(explanation.level)},
                {"words", words_of(words[0])}};
    Json sections = Json::object();
    for (std::size_t i = 0; i < explanation.sections.size(); ++i) {
        const Section& section = explanation.sections[i];
        sections[key_of(section.kind)] = section_of(section, words[i + 1], explanation.level);
    }
    object["sections"] = std::move(sections);
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sim::explain
