// The verdict in JSON. Gradescope reads score, output and tests; the other keys are ours.
#include "tools/labs/divergence.hpp"
#include "tools/labs/show/records.hpp"
#include "tools/labs/show/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim::labs {

using namespace report::keys;
using report::Field;

namespace {

struct ShownCheck {
    std::size_t at;  // its case, from 0
    const Check* check;
    bool earns;
    double most;  // points

    std::string name() const { return fmt::format("case {}: {}", at + 1, name_of(check->aspect)); }
    double score() const { return earns ? most : 0; }
};

// An operation, and the learner's line that contains it.
struct WaitingOp {
    kernel::WrongOp op;
    lab::Line line;
};

struct AnsweredQuestion {
    std::string_view question;
    PredictionVerdict notes;
};

// A row of Gradescope's leader board.
struct BoardEntry {
    std::string_view name;
    double value = 0;
};

// The findings about a program, whether it ran or not.
struct CheckReport {
    const Desk* desk;
    Standing standing;
    double score = 0;
    double max_score = 0;
    bool passed = false;
    std::string output;
    std::optional<std::string> mistake = {};
    std::vector<std::string> findings = {};
    std::optional<AnsweredQuestion> prediction = {};
    std::optional<std::string> divergence = {};
    std::optional<std::string> fault = {};
    std::vector<WaitingOp> waiting = {};
    std::vector<ShownCheck> tests = {};
    std::vector<BoardEntry> board = {};
    std::vector<std::pair<std::string, int>> scores = {};  // right checks by aspect
};

const report::Record<ShownCheck>& test_record() {
    using Test = ShownCheck;
    static const report::Record<Test> record(
        "A check.", {name<Test>("name", "The case, and what is checked.", &Test::name),
                     number<Test>("score",
                                  "Its points if it is right, else 0; also 0 while the point of the lab, mostly the "
                                  "data, is wrong in the same case.",
                                  &Test::score),
                     number<Test>("max_score", "Its points: 1, or as --weights says.", &Test::most),
                     one_of<Test>("status", {"passed", "failed"}, "Whether it is right.",
                                  [](const Test& of) { return of.check->ok ? "passed" : "failed"; }),
                     free_text<Test>("output", "The expected and the found value, and the reason.", [](const Test& of) {
                         return fmt::format("expected {}; found {}: {}", of.check->expected, of.check->found,
                                            of.check->why);
                     })});
    return record;
}

const report::Record<WaitingOp>& waiting_record() {
    using Op = WaitingOp;
    const auto of_op = [](auto member) { return [member](const Op& of) { return std::invoke(member, of.op); }; };
    static const report::Record<Op> record(
        "An operation of a rank.",
        {whole<Op>("rank", "The rank.", of_op(&kernel::WrongOp::rank)),
         whole<Op>("op", "Number of the operation in the rank's program, from 0.", of_op(&kernel::WrongOp::op_number)),
         free_text<Op>("what", "The operation.", of_op(&kernel::WrongOp::what)),
         free_text<Op>("why", "The reason that it can never end; empty if it does not wait.",
                       of_op(&kernel::WrongOp::why)),
         whole<Op>("waits_for", "The rank that would have to act; -1 for none.", of_op(&kernel::WrongOp::waits_for)),
         name<Op>("file", "The learner's file; empty if the line is unknown.",
                  [](const Op& of) { return of.line.file; }),
         whole<Op>("line", "Line of that file, from 1; 0 if it is unknown.",
                   [](const Op& of) { return of.line.number; })});
    return record;
}

const report::Record<BoardEntry>& board_record() {
    using Entry = BoardEntry;
    static const report::Record<Entry> record(
        "The value by which passing programs are compared.",
        {free_text<Entry>("name", "Its name.", &Entry::name),
         number<Entry>("value", "Its value in the learner's own case.", &Entry::value),
         one_of<Entry>("order", {"asc"}, "Lower is better.", [](const Entry&) { return "asc"; })});
    return record;
}

const report::Record<AnsweredQuestion>& answered_record() {
    using Answered = AnsweredQuestion;
    static const report::Record<Answered> record(
        "The learner's first prediction.",
        joined<Answered>({{free_text<Answered>("question", "The question.", &Answered::question)},
                          fields_of<Answered>(prediction_record(), &Answered::notes)}));
    return record;
}

// A text that may be null.
Field<CheckReport> text_or_null(const char* key, const char* description,
                                std::optional<std::string> CheckReport::*text) {
    return or_null(free_text<CheckReport>(key, description, [](const CheckReport&) { return ""; }), text);
}

std::vector<Field<CheckReport>> score_fields() {
    return {truth<CheckReport>("passed", "True if every check of every case is right.", &CheckReport::passed),
            number<CheckReport>("score",
                                "The points of the checks of all cases, scaled to --points if given; with --pass-fail "
                                "all or none.",
                                &CheckReport::score),
            number<CheckReport>("max_score", "The score of a program that passes.", &CheckReport::max_score),
            one_of<CheckReport>("desk", {"signed", "changed", "of another seed", "not there"},
                                "Whether lab.json, with the prediction and the attempts, is unchanged.",
                                [](const CheckReport& of) { return name_of(of.standing.desk); }),
            free_text<CheckReport>("output",
                                   "The diagnosis in a sentence, if there is one, or the compiler's output if the "
                                   "program does not run.",
                                   &CheckReport::output)};
}

std::vector<Field<CheckReport>> finding_fields() {
    return {
        text_or_null("mistake",
                     "Name of the known mistake with exactly the same results as the program; null if there is none.",
                     &CheckReport::mistake),
        texts<CheckReport>("findings",
                           "How the results differ, the most telling first; for a known mistake only the wrong formula "
                           "behind a number.",
                           "A sentence.", &CheckReport::findings),
        part_or_null<CheckReport>("prediction", "The learner's first prediction; null if there is none.",
                                  answered_record(), &CheckReport::prediction),
        text_or_null("divergence",
                     "The first difference between the timeline and the reference; null if there is none.",
                     &CheckReport::divergence),
        text_or_null("fault", "The reason that the run ended early; null if it did not.", &CheckReport::fault),
        list_of<CheckReport>("waiting", "The operations involved in the fault: in a deadlock, those that wait.",
                             waiting_record(), &CheckReport::waiting),
        list_of<CheckReport>("tests", "Every check, as Gradescope reads them.", test_record(), &CheckReport::tests),
        list_of<CheckReport>("leaderboard",
                             "The entries of a passing program on Gradescope's leader board; empty: the lab has none.",
                             board_record(), &CheckReport::board),
        field_of<CheckReport>(
            "scores",
            {{"type", "object"},
             {"description", "Number of checks passed by aspect: runs, data, time, bytes, memory, order."},
             {"additionalProperties",
              {{"title", "CHECK"}, {"type", "integer"}, {"description", "Number of checks passed."}}}},
            [](const CheckReport& of) {
                report::Json scores = report::Json::object();
                for (const auto& [aspect, score] : of.scores) {
                    scores[aspect] = score;
                }
                return scores;
            })};
}

const report::Record<CheckReport>& check_record() {
    static const report::Record<CheckReport> record(
        "The verdict on a learner's program. Gradescope reads score, output and tests.",
        joined<CheckReport>({fields_of<CheckReport>(desk_record(), [](const CheckReport& of) { return *of.desk; }),
                             score_fields(), finding_fields()}));
    return record;
}

std::vector<WaitingOp> waiting_in(const Record& found) {
    std::vector<WaitingOp> waiting;
    for (const kernel::WrongOp& op : found.fault ? found.fault->ops : std::vector<kernel::WrongOp>{}) {
        waiting.push_back({op, waiting.size() < found.lines.size() ? found.lines[waiting.size()] : lab::Line{}});
    }
    return waiting;
}

// Rounded to hundredths.
double most_score(double most_points, const Standing& standing) {
    return standing.points > 0 ? standing.points : standing.pass_fail ? 1 : std::round(100 * most_points) / 100;
}

double score_of(const Verdict& verdict, const Standing& standing) {
    const double most = verdict.most_points(standing.weights);
    const double share = standing.pass_fail || verdict.passed() ? (verdict.passed() ? 1 : 0)
                         : most == 0                            ? 0
                                                                : verdict.points(standing.weights) / most;
    return std::round(100 * share * most_score(most, standing)) / 100;
}

std::string output_of(const Verdict& verdict) {
    if (verdict.passed()) {
        return "passed";
    }
    std::string output;
    for (const std::string& each : verdict.findings) {
        output += each + "\n";
    }
    output += verdict.diagnosis ? verdict.diagnosis->text + "\n" : "";
    return output.empty() ? "not passed" : output.substr(0, output.size() - 1);
}

std::string joined_output(const std::string& text, const Standing& standing) {
    const std::string sentence = desk_sentence(standing.desk);
    return sentence.empty() ? text : text + "\n" + sentence;
}

void add_check(CheckReport& report, const ShownCheck& shown) {
    report.tests.push_back(shown);
    const std::string aspect = name_of(shown.check->aspect);
    const auto same = [&](const auto& score) { return score.first == aspect; };
    auto score = std::find_if(report.scores.begin(), report.scores.end(), same);
    if (score == report.scores.end()) {
        score = report.scores.insert(score, {aspect, 0});
    }
    score->second += shown.check->ok ? 1 : 0;
}

}  // namespace

const char* name_of(DeskState state) {
    switch (state) {
        case DeskState::is_signed: return "signed";
        case DeskState::is_changed: return "changed";
        case DeskState::is_of_another_seed: return "of another seed";
        case DeskState::is_not_there: return "not there";
    }
    return "";
}

std::string json_of(const Verdict& verdict, const Desk& desk, const Standing& standing) {
    CheckReport report{.desk = &desk,
                       .standing = standing,
                       .score = score_of(verdict, standing),
                       .max_score = most_score(verdict.most_points(standing.weights), standing),
                       .passed = verdict.passed(),
                       .output = joined_output(output_of(verdict), standing),
                       .findings = verdict.findings};
    for (std::size_t i = 0; i < verdict.cases.size(); ++i) {
        for (const Check& check : verdict.cases[i].checks) {
            add_check(report, {.at = i,
                               .check = &check,
                               .earns = verdict.earns(verdict.cases[i], check),
                               .most = standing.weights[check.aspect]});
        }
    }
    if (verdict.passed() && verdict.lab->board) {
        const CaseVerdict& own = verdict.cases.front();
        report.board.push_back({verdict.lab->board->heading, verdict.lab->board->value(own.played, own.found)});
    }
    const CaseVerdict& shown = verdict.shown();
    report.waiting = waiting_in(shown.found);
    if (verdict.diagnosis) {
        report.mistake = verdict.diagnosis->mistake;
    }
    if (verdict.prediction) {
        report.prediction = {verdict.lab->prediction.question, *verdict.prediction};
    }
    if (const std::optional<Divergence> divergence = first_divergence(shown.found, shown.reference)) {
        report.divergence = divergence->text;
    }
    if (shown.found.fault) {
        report.fault = shown.found.fault->message;
    }
    return report::json_line(check_record().json(report));
}

std::string json_of_trouble(const Desk& desk, const std::string& trouble, const Standing& standing) {
    Verdict nothing{.lab = desk.lab, .seed = desk.seed};
    for (const Case& each : desk.lab->cases(desk.seed)) {
        nothing.cases.push_back({.played = each, .found = {}, .reference = reference_here(*desk.lab, each)});
    }
    const CheckReport report{.desk = &desk,
                             .standing = standing,
                             .max_score = most_score(nothing.most_points(standing.weights), standing),
                             .output = trouble,
                             .fault = trouble};
    return report::json_line(check_record().json(report));
}

std::string autolab_line(const Verdict* verdict, const Standing& standing) {
    const double score = verdict == nullptr ? 0 : score_of(*verdict, standing);
    return report::json_line({{"scores", {{"ndsim", score}}}});
}

Standing standing_of(const Desk& desk) {
    return {.desk = desk.is_signed ? DeskState::is_signed : DeskState::is_changed};
}

std::string desk_sentence(DeskState state) {
    switch (state) {
        case DeskState::is_changed:
            return "lab.json was changed by hand: the prediction and the attempts in it do not count.";
        case DeskState::is_of_another_seed:
            return "lab.json is of another seed: the prediction and the attempts in it do not count.";
        default: return "";
    }
}

report::SchemaText lab_check_schema() {
    return report::schema_of_result("lab_check", "What ndsim lab check prints with --json", check_record().schema());
}

}  // namespace sim::labs
