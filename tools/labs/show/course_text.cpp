#include "tools/labs/show/course_text.hpp"

#include "libsim/report/text_table.hpp"
#include "tools/labs/desk/files.hpp"
#include "tools/labs/desk/toolbox.hpp"
#include "tools/labs/show/records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sim::labs {

using namespace report::keys;

namespace {

std::vector<std::string> languages_of(const Lab& lab) {
    std::vector<std::string> names;
    for (const Language language : all_languages) {
        if (has_language(lab, language)) {
            names.emplace_back(name_of(language));
        }
    }
    return names;
}

// The parts of a text that begin with "## ", without the text before the first.
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

// Desks of a lab with a board whose programs passed, best first.
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

using LabPointer = const Lab*;

std::vector<LabPointer> labs_of_course() {
    std::vector<LabPointer> labs;
    for (const Lab& lab : course()) {
        labs.push_back(&lab);
    }
    return labs;
}

const report::Record<LabPointer>& lab_record() {
    static const report::Record<LabPointer> record(
        "A lab.", {whole<LabPointer>("lab", "Its number.", &Lab::number),
                   name<LabPointer>("name", "Its name, which is that of its folder.", &Lab::folder),
                   free_text<LabPointer>("title", "Its topic.", &Lab::title),
                   texts<LabPointer>("languages", "The languages in which it is available.", "cpp, python or torch.",
                                     [](const LabPointer& lab) { return languages_of(*lab); }),
                   free_text<LabPointer>("question", "The prediction to make before the first run.",
                                         [](const LabPointer& lab) { return lab->prediction.question; })});
    return record;
}

using Labs = std::vector<LabPointer>;

const report::Record<Labs>& course_record() {
    static const report::Record<Labs> record(
        "The course.", {list_of<Labs>("labs", "The labs, by number.", lab_record(), std::identity())});
    return record;
}

// The progress of a desk.
struct DeskReport {
    const Desk* desk;
    const Attempt* best;  // null: none yet
    std::optional<PredictionVerdict> notes;

    bool passed() const { return best != nullptr && best->passed; }
    int points() const { return best == nullptr ? 0 : best->points; }
    int most_points() const { return best == nullptr ? 0 : best->most_points; }
};

std::vector<DeskReport> reports_of(const std::vector<Desk>& desks) {
    std::vector<DeskReport> reports;
    for (const Desk& desk : desks) {
        reports.push_back({&desk, best_of(desk), {}});
        if (!desk.predictions.empty()) {
            reports.back().notes = compare_prediction(*desk.lab, desk.seed, desk.predictions.front());
            if (desk.may_know_answer()) {
                reports.back().notes->reveal();
            }
        }
    }
    return reports;
}

const report::Record<DeskReport>& desk_report_record() {
    using Of = DeskReport;
    const auto of_desk = [](std::initializer_list<std::string_view> keys) {
        return fields_of<Of>(desk_record().fields(keys), [](const Of& of) { return *of.desk; });
    };
    static const report::Record<Of> record(
        "A learner's folder of one lab.",
        joined<Of>({of_desk({"lab", "name"}),
                    {free_text<Of>("folder", "The folder.", [](const Of& of) { return of.desk->folder; })},
                    of_desk({"language", "seed"}),
                    {truth<Of>("passed", "True if an attempt has passed.", &Of::passed),
                     whole<Of>("score", "Largest number of checks passed in one attempt.", &Of::points),
                     whole<Of>("max_score", "Number of checks; 0 before the first attempt.", &Of::most_points),
                     whole<Of>("checks", "Number of attempts.", [](const Of& of) { return of.desk->attempts.size(); }),
                     truth<Of>("signed", "False if lab.json was changed by hand.",
                               [](const Of& of) { return of.desk->is_signed; }),
                     whole<Of>("hints", "Number of hints seen.", [](const Of& of) { return of.desk->hints_seen; }),
                     part_or_null<Of>("prediction", "The first prediction; null if there is none.", prediction_record(),
                                      &Of::notes)}}));
    return record;
}

// A row of a lab's leader board.
struct Place {
    const Lab* lab;
    int place;
    BoardRow row;
};

std::vector<Place> places_of(const std::vector<Desk>& desks) {
    std::vector<Place> places;
    for (const Lab& lab : course()) {
        int place = 0;
        for (const BoardRow& row : board_of(lab, desks)) {
            places.push_back({&lab, ++place, row});
        }
    }
    return places;
}

const report::Record<Place>& place_record() {
    static const report::Record<Place> record(
        "A learner's best program.",
        {whole<Place>("lab", "Number of the lab.", [](const Place& of) { return of.lab->number; }),
         whole<Place>("place", "1 for the best.", &Place::place),
         free_text<Place>("folder", "The folder.", [](const Place& of) { return of.row.desk->folder; }),
         number<Place>(
             "value", "The value that the lab compares; lower is better. Lab 14: the step relative to the best plan's.",
             [](const Place& of) { return of.row.value; })});
    return record;
}

using Desks = std::vector<Desk>;

const report::Record<Desks>& desks_record() {
    static const report::Record<Desks> record(
        "The attempts at the course in a folder.",
        {list_of<Desks>("labs", "The labs' folders, by number of the lab.", desk_report_record(), reports_of),
         list_of<Desks>("leader_board",
                        "The programs that passed, in labs that compare them, the best of each lab first.",
                        place_record(), places_of)});
    return record;
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
           "\nndsim lab start N begins one, in C++; --python or --torch in another language.\n";
}

std::string missing_languages() {
    return pytorch_is_here() ? "" : "Labs in torch cannot be checked here: install PyTorch (`pip install torch`).\n";
}

std::string course_json() {
    return report::json_line(course_record().json(labs_of_course()));
}

report::SchemaText lab_list_schema() {
    return report::schema_of_result("lab_list", "What ndsim lab list prints with --json", course_record().schema());
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
                                        {.heading = "ratio"},
                                        {.heading = "signed", .align = report::Align::left}}};
    for (const DeskReport& one : reports_of(desks)) {
        const Desk& desk = *one.desk;
        const auto& notes = one.notes;
        table.rows.push_back(
            {{std::to_string(desk.lab->number), desk.folder, name_of(desk.language), std::to_string(desk.seed),
              one.passed() ? "yes" : "no",
              one.best == nullptr ? "-" : fmt::format("{}/{}", one.points(), one.most_points()),
              std::to_string(desk.attempts.size()), std::to_string(desk.hints_seen), notes ? notes->typed : "-",
              notes && notes->told_truth ? text_of(desk.lab->prediction.quantity, notes->truth) : "-",
              notes && notes->told_ratio ? fmt::format("{:.3g}", notes->ratio) : "-",
              desk.is_signed ? "yes" : "NO: changed by hand"}});
    }
    return report::text_of(table) + boards_text(desks);
}

std::string report_json(const std::vector<Desk>& desks) {
    return report::json_line(desks_record().json(desks));
}

report::SchemaText lab_report_schema() {
    return report::schema_of_result("lab_report", "What ndsim lab report prints with --json", desks_record().schema());
}

}  // namespace sim::labs
