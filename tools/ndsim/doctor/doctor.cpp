// `ndsim doctor` checks what works on this computer, and prints a fix for what does not.
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/doctor/checks.hpp"

#include <algorithm>
#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace report;
using namespace report::keys;

namespace {

struct Diagnosis {
    const DoctorFacts& facts;
    const std::vector<Check>& checks;
};

bool all_work(const std::vector<Check>& checks) {
    return std::none_of(checks.begin(), checks.end(), [](const Check& check) { return check.health == Health::fails; });
}

const Record<Check>& check_record() {
    static const Record<Check> record(
        "A check.",
        {free_text<Check>("name", "Subject of the check.", &Check::name),
         one_of<Check>(
             "health", {"works", "limited", "missing", "fails"},
             "Whether it works; limited: not as well as it could; missing: an optional part is not installed.",
             [](const Check& of) { return name_of(of.health); }),
         free_text<Check>("what", "Finding, in one sentence.", &Check::what),
         free_text<Check>("repair", "Fix, as a shell command or in words; empty: nothing to do.", &Check::repair)});
    return record;
}

// The same for a table, where the key of the name is "check".
const Record<Check>& check_columns() {
    static const Record<Check> record("A check.", [] {
        std::vector<Field<Check>> fields = check_record().fields();
        fields.front().key = "check";
        return fields;
    }());
    return record;
}

const Record<Diagnosis>& diagnosis_record() {
    static const Record<Diagnosis> record(
        "The checks of this computer: what works, and what does not.",
        {command<Diagnosis>("doctor"),
         free_text<Diagnosis>("version", "Name and version of the program.",
                              [](const Diagnosis&) { return version_line().substr(0, version_line().size() - 1); }),
         truth<Diagnosis>("works", "Whether no check fails: ndsim works here.",
                          [](const Diagnosis& of) { return all_work(of.checks); }),
         whole<Diagnosis>("cores", "Cores of the computer.", [](const Diagnosis& of) { return of.facts.cores; }),
         whole<Diagnosis>("memory_bytes", "Bytes of memory available now.",
                          [](const Diagnosis& of) { return of.facts.memory_bytes; }),
         whole<Diagnosis>(
             "most_process_ranks",
             "Ranks of a small program that can be processes at once, by the limits of processes and memory.",
             [](const Diagnosis& of) { return most_process_ranks(of.facts); }),
         list_of<Diagnosis>("checks", "Every check, in display order.", check_record(),
                            [](const Diagnosis& of) { return of.checks; })});
    return record;
}

std::string doctor_text(const std::vector<Check>& checks) {
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

SchemaText doctor_schema() {
    return schema_of_command("doctor", diagnosis_record().schema());
}

SchemaText doctor_columns() {
    return columns_of_command("doctor", check_columns().columns());
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
