#include "tools/labs/show/key.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/report/svg_timeline.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/labs/desk/files.hpp"
#include "tools/labs/desk/play_scripts.hpp"
#include "tools/labs/desk/seal.hpp"
#include "tools/labs/diagnose.hpp"
#include "tools/labs/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sim::labs {

namespace {

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

// The text for a script's mistake depends on its run, so its name is shown instead.
std::string mistakes_of(const Lab& lab, const Case& played) {
    std::string text = "mistakes that are named\n";
    for (const Mistake& mistake : lab.mistakes) {
        text += fmt::format("  {}\n    {}\n", mistake.name, mistake.says(played, play_here(played, mistake.program)));
    }
    for (const ScriptMistake& mistake : lab.script_mistakes) {
        text += fmt::format("  {}\n", mistake.name);
    }
    return text;
}

}  // namespace

void check_source(const Lab& lab, const std::string& source) {
    const std::string name = lab.is_script() ? "train_solution.py" : "solution.cpp";
    const std::string file = (std::filesystem::path(source) / "docs" / "labs" / lab.folder / name).string();
    if (!std::filesystem::exists(file)) {
        throw config::UsageError(fmt::format(
            "--source must be the folder of ndsim's source tree, which has the solutions: there is no {}", file));
    }
    const auto digests = solution_digests();
    const auto own = std::find_if(digests.begin(), digests.end(),
                                  [&](const LabFile& each) { return each.folder == lab.folder && each.name == name; });
    if (own == digests.end() || digest_of(config::read_text(file, "a solution")) != own->text) {
        throw config::UsageError(fmt::format("{} is not the solution that this ndsim was built with", file));
    }
}

std::string key_text(const Lab& lab, std::uint64_t seed) {
    const std::vector<Case> cases = lab.cases(seed);
    const std::vector<Record> references = references_of(lab, cases);
    std::string text = fmt::format("Lab {}: {}, seed {}\n", lab.number, lab.title, seed);
    text += fmt::format("  {} {}\n", lab.prediction.question,
                        text_of(lab.prediction.quantity, lab.prediction.truth(cases.front(), references.front())));
    for (std::size_t i = 0; i < cases.size(); ++i) {
        text += fmt::format("case {}, {} rank{}\n", i + 1, cases[i].ranks, cases[i].ranks == 1 ? "" : "s") +
                expected_of(lab, cases[i], references[i]);
    }
    return text + mistakes_of(lab, cases.front());
}

std::string key_picture(const Lab& lab, std::uint64_t seed) {
    report::Timeline timeline = references_of(lab, {lab.cases(seed).front()}).front().timeline;
    timeline.title = std::string(lab.title);
    return report::svg_timeline(timeline);
}

}  // namespace sim::labs
