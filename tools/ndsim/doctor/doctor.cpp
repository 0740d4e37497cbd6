// `ndsim doctor`: what works on this computer and what does not, with the line that repairs it.
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
    return {.offer = {.json = "print one JSON object instead of the table", .table = "a row for each check"},
            .answer = [](const Asked&) { return doctor_answer(); }};
}

}  // namespace

const Command doctor_command{
    .name = "doctor",
    .headline = "what works on this computer and what does not, with the line that repairs it",
    .summary =
        "What works on this computer and what does not: limits, ranks that are really launched, and optional "
        "parts. Each line that does not say works has one below it that repairs it. Ends with exit code 1 where "
        "ndsim does not work.",
    .examples = {"ndsim doctor            # what is there, and what to do about the rest",
                 "ndsim doctor --json     # to put into a report of a mistake"},
    .schemas = {doctor_schema, doctor_columns},
    .question = doctor_question};

}  // namespace sim::tools
