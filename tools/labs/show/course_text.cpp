#include "tools/labs/show/course_text.hpp"

#include "libsim/report/svg_timeline.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/labs/desk/files.hpp"
#include "tools/labs/desk/play_scripts.hpp"
#include "tools/labs/desk/toolbox.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace sim::labs {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array all_languages{Language::cpp, Language::python, Language::torch};

std::vector<std::string> languages_of(const Lab& lab) {
    std::vector<std::string> names;
    for (const Language language : all_languages) {
        if (has_language(lab, language)) {
            names.emplace_back(name_of(language));
        }
    }
    return names;
}

// The parts of a text that begin with "## ", without what stands before the first.
std::vector<std::string> sections_of(const std::string& text) {
    std::vector<std::string> sections;
    const std::string sign = "\n## ";
    for (std::size_t at = text.find(sign); at != std::string::npos;) {
        const std::size_t next = text.find(sign, at + 1);
        sections.push_back(
            text.substr(at + sign.size(), next == std::string::npos ? next : next - at - sign.size() + 1));
        at = next;
    }
    return sections;
}

const Attempt* best_of(const Desk& desk) {
    const auto best = std::max_element(desk.attempts.begin(), desk.attempts.end(),
                                       [](const Attempt& a, const Attempt& b) { return a.points < b.points; });
    return best == desk.attempts.end() ? nullptr : &*best;
}

std::vector<Record> references_of(const Lab& lab, const std::vector<Case>& cases) {
    if (lab.is_script()) {
        return play_solution(lab, cases);
    }
    std::vector<Record> references;
    for (const Case& each : cases) {
        references.push_back(play_here(each, lab.solution));
    }
    return references;
}

// Desks of a lab with a board whose programs passed, the best first.
struct BoardRow {
    const Desk* desk;
    double value;
};
std::vector<BoardRow> board_of(const Lab& lab, const std::vector<Desk>& desks) {
    std::vector<BoardRow> rows;
    for (const Desk& desk : desks) {
        std::optional<double> least;
        for (const Attempt& attempt : desk.attempts) {
            if (desk.lab == &lab && lab.board && attempt.passed) {
                least = std::min(least.value_or(attempt.value), attempt.value);
            }
        }
        if (least) {
            rows.push_back({&desk, *least});
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const BoardRow& a, const BoardRow& b) { return a.value < b.value; });
    return rows;
}

std::string boards_text(const std::vector<Desk>& desks) {
    std::string text;
    for (const Lab& lab : course()) {
        const std::vector<BoardRow> rows = board_of(lab, desks);
        if (rows.empty()) {
            continue;
        }
        report::TextTable table{.columns = {{.heading = "place"},
                                            {.heading = "folder", .align = report::Align::left},
                                            {.heading = std::string(lab.board->heading)},
                                            {.heading = "seed"},
                                            {.heading = "checks"}}};
        int place = 0;
        for (const BoardRow& row : rows) {
            table.rows.push_back({{std::to_string(++place), row.desk->folder, fmt::format("{:.4f}", row.value),
                                   std::to_string(row.desk->seed), std::to_string(row.desk->attempts.size())}});
        }
        text += fmt::format("\nLeader board of lab {}: {}\n", lab.number, lab.title) + report::text_of(table);
    }
    return text;
}

Json boards_json(const std::vector<Desk>& desks) {
    Json boards = Json::array();
    for (const Lab& lab : course()) {
        int place = 0;
        for (const BoardRow& row : board_of(lab, desks)) {
            boards.push_back(
                {{"lab", lab.number}, {"place", ++place}, {"folder", row.desk->folder}, {"value", row.value}});
        }
    }
    return boards;
}

std::string prediction_of(const Lab& lab, const Case& played, const Record& reference) {
    return fmt::format("  {} {}\n", lab.prediction.question,
                       text_of(lab.prediction.quantity, lab.prediction.truth(played, reference)));
}

std::string expected_of(const Lab& lab, const Case& played, const Record& reference) {
    report::TextTable table{.columns = {{.align = report::Align::left},
                                        {.heading = "expected", .align = report::Align::left},
                                        {.heading = "why", .align = report::Align::left}},
                            .margin = "  "};
    for (const Check& check : lab.grade(played, reference, reference)) {
        table.rows.push_back({{name_of(check.aspect), check.expected, check.why}});
    }
    return report::text_of(table);
}

}  // namespace

std::string course_text() {
    report::TextTable table{.columns = {{.heading = "lab"},
                                        {.heading = "title", .align = report::Align::left},
                                        {.heading = "in", .align = report::Align::left},
                                        {.heading = "predict first", .align = report::Align::left}}};
    for (const Lab& lab : course()) {
        table.rows.push_back(
            {{std::to_string(lab.number), std::string(lab.title), fmt::format("{}", fmt::join(languages_of(lab), ", ")),
              std::string(lab.prediction.question)}});
    }
    return report::text_of(table) +
           "\nndsim lab start N begins one, in C++; --python or --torch in another language.\n" +
           (pytorch_is_here() ? "" : "Those in torch cannot be checked here: install PyTorch (python3-torch).\n");
}

std::string course_json() {
    Json labs = Json::array();
    for (const Lab& lab : course()) {
        labs.push_back({{"lab", lab.number},
                        {"name", lab.folder},
                        {"title", lab.title},
                        {"languages", languages_of(lab)},
                        {"question", lab.prediction.question}});
    }
    return Json{{"labs", labs}}.dump() + "\n";
}

std::string text_of_start(const Desk& desk) {
    const std::string where = desk.folder == desk.lab->folder ? "" : " " + desk.folder;
    return fmt::format(
        "Lab {0}: {1}, in {2}/\n"
        "  README.md  the page: what it is about, what to predict, what to write\n"
        "  {3:<9}  your file: write between \"Your lines begin here\" and \"Your lines end here\"\n"
        "Predict first: {4}\n"
        "Then: ndsim lab check {0}{5} --predict X\n",
        desk.lab->number, desk.lab->title, desk.folder, file_of(desk.language), desk.lab->prediction.question, where);
}

std::string next_hint(Desk& desk) {
    const char* const text = lab_file(desk.lab->folder.data(), hints_of(desk.language));
    const std::vector<std::string> hints = sections_of(text == nullptr ? "" : text);
    if (hints.empty()) {
        return "This lab has no hints.\n";
    }
    const int all = static_cast<int>(hints.size());
    desk.hints_seen = std::min(desk.hints_seen + 1, all);
    return fmt::format("Hint {} of {}: {}", desk.hints_seen, all, hints[static_cast<std::size_t>(desk.hints_seen - 1)]);
}

std::string report_text(const std::vector<Desk>& desks) {
    if (desks.empty()) {
        return "No lab has been started here; ndsim lab list shows all.\n";
    }
    report::TextTable table{.columns = {{.heading = "lab"},
                                        {.heading = "folder", .align = report::Align::left},
                                        {.heading = "in", .align = report::Align::left},
                                        {.heading = "seed"},
                                        {.heading = "passed", .align = report::Align::left},
                                        {.heading = "best"},
                                        {.heading = "checks"},
                                        {.heading = "hints"},
                                        {.heading = "predicted"},
                                        {.heading = "it is"},
                                        {.heading = "ratio"}}};
    for (const Desk& desk : desks) {
        const Attempt* const best = best_of(desk);
        const bool predicted = !desk.prediction.empty();
        const PredictionVerdict told =
            predicted ? compare_prediction(*desk.lab, desk.seed, desk.prediction) : PredictionVerdict{};
        table.rows.push_back(
            {{std::to_string(desk.lab->number), desk.folder, name_of(desk.language), std::to_string(desk.seed),
              best != nullptr && best->passed ? "yes" : "no",
              best == nullptr ? "-" : fmt::format("{}/{}", best->points, best->most_points),
              std::to_string(desk.attempts.size()), std::to_string(desk.hints_seen), predicted ? told.typed : "-",
              predicted ? text_of(desk.lab->prediction.quantity, told.truth) : "-",
              predicted ? fmt::format("{:.3g}", told.ratio) : "-"}});
    }
    return report::text_of(table) + boards_text(desks);
}

std::string report_json(const std::vector<Desk>& desks) {
    Json all = Json::array();
    for (const Desk& desk : desks) {
        const Attempt* const best = best_of(desk);
        Json json{{"lab", desk.lab->number},
                  {"name", desk.lab->folder},
                  {"folder", desk.folder},
                  {"language", name_of(desk.language)},
                  {"seed", desk.seed},
                  {"passed", best != nullptr && best->passed},
                  {"score", best == nullptr ? 0 : best->points},
                  {"max_score", best == nullptr ? 0 : best->most_points},
                  {"checks", desk.attempts.size()},
                  {"hints", desk.hints_seen},
                  {"prediction", nullptr}};
        if (!desk.prediction.empty()) {
            const PredictionVerdict told = compare_prediction(*desk.lab, desk.seed, desk.prediction);
            json["prediction"] = {
                {"predicted", told.predicted}, {"truth", told.truth}, {"ratio", told.ratio}, {"within", told.within}};
        }
        all.push_back(std::move(json));
    }
    return Json{{"labs", all}, {"leader_board", boards_json(desks)}}.dump() + "\n";
}

std::string key_text(const Lab& lab, std::uint64_t seed) {
    const std::vector<Case> cases = lab.cases(seed);
    std::string text = fmt::format("Lab {}: {}, seed {}\n", lab.number, lab.title, seed);
    const std::vector<Record> references = references_of(lab, cases);
    text += prediction_of(lab, cases.front(), references.front());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        text += fmt::format("case {}, {} rank{}\n", i + 1, cases[i].ranks, cases[i].ranks == 1 ? "" : "s") +
                expected_of(lab, cases[i], references[i]);
    }
    text += "mistakes that are named\n";
    for (const Mistake& mistake : lab.mistakes) {
        text += fmt::format("  {}\n    {}\n", mistake.name,
                            mistake.says(cases.front(), play_here(cases.front(), mistake.program)));
    }
    for (const MistakenLines& mistake : lab.mistaken_lines) {
        text += fmt::format("  {}\n", mistake.name);
    }
    return text;
}

std::string key_picture(const Lab& lab, std::uint64_t seed) {
    std::vector<Record> references = references_of(lab, {lab.cases(seed).front()});
    references.front().timeline.title = std::string(lab.title);
    return report::svg_timeline(references.front().timeline);
}

}  // namespace sim::labs
