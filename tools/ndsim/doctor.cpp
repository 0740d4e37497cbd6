// `ndsim doctor`: what works on this computer and what does not, with the line that repairs it.
#include "libsim/report/text_table.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/doctor_checks.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace command_line;

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

bool all_work(const std::vector<Check>& checks) {
    return std::none_of(checks.begin(), checks.end(), [](const Check& check) { return check.health == Health::fails; });
}

report::Table doctor_table(const std::vector<Check>& checks) {
    report::Table table{.columns = {{"check", report::Cells::words},
                                    {"health", report::Cells::names},
                                    {"what", report::Cells::words},
                                    {"repair", report::Cells::words}},
                        .rows = {}};
    for (const Check& check : checks) {
        table.rows.push_back({check.name, name_of(check.health), check.what, check.repair});
    }
    return table;
}

std::string doctor_text(const std::vector<Check>& checks) {
    using report::Align;
    report::TextTable table{.columns = {{"", Align::left}, {"", Align::left}, {"", Align::left}}};
    for (const Check& check : checks) {
        table.rows.push_back({{name_of(check.health), check.name, check.what}});
        if (!check.repair.empty()) {
            table.rows.push_back({{"", "", "-> " + check.repair}});
        }
    }
    return text_of(table) + (all_work(checks) ? "\nndsim works here.\n" : "\nndsim does not work here.\n");
}

std::string doctor_json(const std::vector<Check>& checks, const DoctorFacts& facts) {
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    for (const Check& check : checks) {
        rows.push_back(
            {{"name", check.name}, {"health", name_of(check.health)}, {"what", check.what}, {"repair", check.repair}});
    }
    const Json json{{"command", "doctor"},
                    {"version", version_line().substr(0, version_line().size() - 1)},
                    {"works", all_work(checks)},
                    {"cores", facts.cores},
                    {"memory_bytes", facts.memory_bytes},
                    {"most_process_ranks", most_process_ranks(facts)},
                    {"checks", rows}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
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
                            .json = [&] { return doctor_json(checks, facts); },
                            .table = [&] { return doctor_table(checks); }});
    return all_work(checks) ? done : failed;
}

}  // namespace sim::tools
