#include "tools/labs/show/verdict_text.hpp"

#include "libsim/config/text_file.hpp"
#include "libsim/report/text_table.hpp"
#include "ranks/lab/explain_fault.hpp"
#include "tools/labs/divergence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::labs {

namespace {

std::string outcome(const Verdict& verdict) {
    if (verdict.passed()) {
        return fmt::format("Passed: all {} checks of {} cases.", verdict.most_points(), verdict.cases.size());
    }
    const auto at = static_cast<std::size_t>(&verdict.shown() - verdict.cases.data());
    return fmt::format("Not passed: {} of {} points{}.", verdict.points(), verdict.most_points(),
                       at == 0 ? "" : fmt::format("; your own numbers are right, but not case {}, shown here", at + 1));
}

std::string heading(const Verdict& verdict, const Desk& desk) {
    return fmt::format("Lab {}: {}. {}, seed {}. {}\n", verdict.lab->number, verdict.lab->title, file_of(desk.language),
                       verdict.seed, outcome(verdict));
}

// The ranks and the given numbers of the case.
std::string numbers_of(const CaseVerdict& shown) {
    std::string numbers;
    for (const auto& [name, number] : shown.played.given.numbers()) {
        numbers += fmt::format("{}{} = {:.9g}", numbers.empty() ? "" : ", ", name, number);
    }
    return fmt::format("  {} rank{}; {}\n", shown.played.ranks, shown.played.ranks == 1 ? "" : "s", numbers);
}

// The answer is told once the learner may know it; before that, only whether the prediction is right.
std::string prediction_line(const Verdict& verdict) {
    const Prediction& asked = verdict.lab->prediction;
    if (!verdict.last_prediction) {
        return fmt::format("  You have not predicted: {} Say it with --predict.\n", asked.question);
    }
    const PredictionVerdict& notes = *verdict.last_prediction;
    const std::string hint = notes.hint.empty() ? "" : " " + notes.hint;
    if (!notes.told_truth) {
        return fmt::format("  {} You predicted {}: {}.{}\n", asked.question, notes.typed,
                           notes.within      ? "right"
                           : notes.ratio < 1 ? "too low"
                                             : "too high",
                           hint);
    }
    return fmt::format(
        "  {} You predicted {}; it is {}: {}{}.{}\n", asked.question, notes.typed, text_of(asked.quantity, notes.truth),
        notes.within ? "right" : fmt::format("{:.3g} times that", notes.ratio),
        notes.within && notes.ratio != 1 ? fmt::format(", within {:.0f} %", 100 * asked.tolerance) : "", hint);
}

std::string diagnosis_of(const Verdict& verdict, const Desk& desk) {
    std::string text;
    for (const std::string& finding : verdict.findings) {
        text += finding + "\n";
    }
    text += verdict.diagnosis ? verdict.diagnosis->text + "\n" : "";
    const Record& found = verdict.shown().found;
    return found.ok() ? text : text + explain_fault(found, desk);
}

report::TextTable checks_table() {
    return {.columns = {{.align = report::Align::left}, {.align = report::Align::left}, {.align = report::Align::left}},
            .margin = "  "};
}

// One line for each wrong check; then what is right.
std::string checks_of_failed(const CaseVerdict& shown, bool brief) {
    report::TextTable table = checks_table();
    for (const Check& check : shown.checks) {
        if (!check.ok) {
            const bool ran = check.aspect != Aspect::ran;
            table.rows.push_back(
                {{name_of(check.aspect), "WRONG",
                  ran ? fmt::format("{}, where {} is right: {}", check.found, check.expected, check.why) : check.why}});
        }
    }
    for (const Check& check : shown.checks) {
        if (check.ok && !brief) {
            table.rows.push_back({{name_of(check.aspect), "right", check.found}});
        }
    }
    return report::text_of(table);
}

std::string checks_of_passed(const CaseVerdict& shown) {
    report::TextTable table = checks_table();
    for (const Check& check : shown.checks) {
        table.rows.push_back({{name_of(check.aspect), "right", check.found}});
        table.rows.push_back({{"", ""}, check.why});
    }
    return report::text_of(table);
}

std::string text_of_failed(const Verdict& verdict, const Desk& desk, const ShowStyle& style) {
    const CaseVerdict& shown = verdict.shown();
    const std::string top = heading(verdict, desk) + diagnosis_of(verdict, desk);
    if (style.brief) {
        return top + checks_of_failed(shown, true);
    }
    std::string text =
        top + "\n" + checks_of_failed(shown, false) + "\n" + numbers_of(shown) + prediction_line(verdict);
    // A gap ends the run at an arbitrary rank first, so there is nothing to compare yet.
    if (!shown.found.timeline.spans.empty() && !shown.found.reports.contains(lab::gap_report)) {
        text += "\n" + draw_both(shown.found, shown.reference, style.width, style.ascii, style.colour);
    }
    return text;
}

}  // namespace

std::string text_of(const Verdict& verdict, const Desk& desk, const ShowStyle& style) {
    const CaseVerdict& shown = verdict.shown();
    std::string text = !verdict.passed() ? text_of_failed(verdict, desk, style)
                       : style.brief     ? heading(verdict, desk)
                                         : heading(verdict, desk) + "\n" + checks_of_passed(shown) + "\n" +
                                           numbers_of(shown) + prediction_line(verdict);
    if (const std::string sentence = desk_sentence(standing_of(desk).desk); !sentence.empty()) {
        text += sentence + "\n";
    }
    if (!verdict.passed() && !style.brief) {
        text += fmt::format("Next: ndsim lab hint {0}, or ndsim lab check {0} again.\n", verdict.lab->number);
    }
    return text;
}

std::string explain_fault(const Record& found, const Desk& desk) {
    return lab::explain_fault(found, file_of(desk.language), config::read_text(desk.file(), "a lab"));
}

std::string text_of_trouble(const Desk& desk, const std::string& trouble) {
    return fmt::format("Lab {}: {}. {} cannot be run:\n{}\n", desk.lab->number, desk.lab->title, file_of(desk.language),
                       trouble);
}

}  // namespace sim::labs
