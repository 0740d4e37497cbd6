// `ndsim doctor` checks what works on this computer, and prints a fix for what does not.
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/doctor/report.hpp"

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace report;

namespace {

std::string doctor_text(const std::vector<Check>& checks) {
    using report::Align;
    TextTable table{.columns = {{"", Align::left}, {"", Align::left}, {"", Align::left}}};
    for (const Check& check : checks) {
        table.rows.push_back({{name_of(check.health), check.name, check.what}});
        if (!check.repair.empty()) {
            table.rows.push_back({{"", "", "-> " + check.repair}});
        }
    }
    return text_of(table) + (all_work(checks) ? "\nndsim works here.\n" : "\nndsim does not work here.\n");
}

struct Diagnosed {
    DoctorFacts facts;
    std::vector<Check> checks;
};

Answer doctor_answer() {
    DoctorFacts facts = doctor_facts();
    std::vector<Check> checks = checks_of(facts);
    const auto found = std::make_shared<const Diagnosed>(Diagnosed{std::move(facts), std::move(checks)});
    return {.forms = {.text = [found] { return doctor_text(found->checks); },
                      .json =
                          [found] {
                              return json_line(diagnosis_record().json({found->facts, found->checks}));
                          },
                      .table = [found] { return check_columns().table(found->checks); }},
            .exit_code = all_work(found->checks) ? done : failed};
}

Question doctor_question() {
    return {
        .offer = {.json = "print one JSON object instead of the table", .table = "write a row for each check as CSV"},
        .answer = [](const Asked&) { return doctor_answer(); }};
}

}  // namespace

const Command doctor_command{
    .name = "doctor",
    .headline = "check what works on this computer, and print a fix for what does not",
    .summary =
        "Checks what works on this computer: limits, ranks (which are really launched), and optional parts. Each line "
        "other than \"works\" is followed by a fix. Ends with exit code 1 if ndsim does not work.",
    .examples = {"ndsim doctor            # what works, and how to fix the rest",
                 "ndsim doctor --json     # for a bug report"},
    .schemas = {doctor_schema, doctor_columns},
    .question = doctor_question};

}  // namespace sim::tools
