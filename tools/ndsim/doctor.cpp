// `ndsim doctor`: what works on this computer and what does not, with the line that repairs it.
#include "libsim/report/text_table.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/doctor_report.hpp"

namespace sim::tools {

using namespace command_line;
using namespace report;

namespace {

const Executable doctor_command{
    .name = "ndsim doctor",
    .summary =
        "What works on this computer and what does not: limits, ranks that are really launched, and optional "
        "parts. Each line that does not say works has one below it that repairs it. Ends with exit code 1 where "
        "ndsim does not work.",
    .examples = {"ndsim doctor            # what is there, and what to do about the rest",
                 "ndsim doctor --json     # to put into a report of a mistake"},
};

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

}  // namespace

int run_doctor(int argc, const char* const* argv) {
    Outputs outputs;
    const std::vector<config::OptionRow> rows =
        output_rows(outputs, {.json = "print one JSON object instead of the table", .table = "a row for each check"});
    if (!take_options(doctor_command, rows, argc, argv)) {
        return done;
    }
    check_outputs(outputs);
    const DoctorFacts facts = doctor_facts();
    const std::vector<Check> checks = checks_of(facts);
    write_outputs(outputs, {.text = [&] { return doctor_text(checks); },
                            .json =
                                [&] {
                                    return json_line(diagnosis_record().json({facts, checks}));
                                },
                            .table = [&] { return check_columns().table(checks); }});
    return all_work(checks) ? done : failed;
}

}  // namespace sim::tools
