#include "tools/ndsim/doctor/report.hpp"

#include "tools/command_line/settings.hpp"

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace report;
using namespace report::keys;

namespace {

const report::Record<Check>& check_record() {
    static const report::Record<Check> record(
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

}  // namespace

bool all_work(const std::vector<Check>& checks) {
    return std::none_of(checks.begin(), checks.end(), [](const Check& check) { return check.health == Health::fails; });
}

const report::Record<Check>& check_columns() {
    static const report::Record<Check> record("A check.", [] {
        std::vector<Field<Check>> fields = check_record().fields();
        fields.front().key = "check";
        return fields;
    }());
    return record;
}

const report::Record<Diagnosis>& diagnosis_record() {
    static const report::Record<Diagnosis> record(
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

SchemaText doctor_schema() {
    return schema_of_command("doctor", diagnosis_record().schema());
}

SchemaText doctor_columns() {
    return columns_of_command("doctor", check_columns().columns());
}

}  // namespace sim::tools
