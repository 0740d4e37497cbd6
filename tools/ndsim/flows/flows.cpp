// `ndsim flows FILE.json` computes when flows end that share links max-min fairly.
#include "libsim/config/text_file.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/flows/flow_cases.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace report;
using namespace report::keys;

namespace {

constexpr double picoseconds_per_second = 1e12;

// A simulated case.
struct FinishedCase {
    FlowCase flows;
    std::vector<double> finish;  // in seconds, one per flow
};

std::vector<FinishedCase> finished(std::vector<FlowCase> cases) {
    std::vector<FinishedCase> all;
    for (FlowCase& one : cases) {
        std::vector<double> finish = finish_times(one.links, one.flows);
        for (double& at : finish) {
            at /= picoseconds_per_second;
        }
        all.push_back({std::move(one), std::move(finish)});
    }
    return all;
}

// A flow of a case.
struct FinishedFlow {
    const FinishedCase* of;
    std::size_t i;

    const std::string& name() const { return of->flows.flow_names[i]; }
    const PlannedFlow& plan() const { return of->flows.flows[i]; }
    double start() const { return plan().at / picoseconds_per_second; }
    double finish() const { return of->finish[i]; }
};

std::vector<FinishedFlow> flows_of(const FinishedCase& one) {
    std::vector<FinishedFlow> flows;
    for (std::size_t i = 0; i < one.finish.size(); ++i) {
        flows.push_back({&one, i});
    }
    return flows;
}

constexpr const char* case_means = "Name of the case.";

const report::Record<FinishedCase>& case_record() {
    using Case = FinishedCase;
    static const report::Record<Case> record(
        "A case.", {name<Case>("name", case_means, [](const Case& of) { return of.flows.name; }),
                    values_of<Case>("finish", "One number for each flow, in the order of the file.", "number",
                                    "Simulated second at which the flow ends.", &Case::finish)});
    return record;
}

using FinishedCases = std::vector<FinishedCase>;

const report::Record<FinishedCases>& flows_record() {
    static const report::Record<FinishedCases> record(
        "When flows over shared links end.",
        {list_of<FinishedCases>("cases", "A row for each case of the file.", case_record(), std::identity())});
    return record;
}

// Numbers are printed in full precision; the text rounds them.
const report::Record<FinishedFlow>& flow_columns_record() {
    using Flow = FinishedFlow;
    static const report::Record<Flow> record(
        "A flow.",
        {free_text<Flow>("case", case_means, [](const Flow& of) { return of.of->flows.name; }),
         free_text<Flow>("flow", "Name of the flow.", &Flow::name),
         printed(keys::number<Flow>("start_seconds", "Simulated second at which the flow begins.", &Flow::start), "{}"),
         printed(keys::number<Flow>("bytes", "Bytes of the flow.", [](const Flow& of) { return of.plan().bytes; }),
                 "{}"),
         printed(keys::number<Flow>("finish_seconds", "Simulated second at which it ends.", &Flow::finish), "{}")});
    return record;
}

Table table_of(const FinishedCases& cases) {
    std::vector<FinishedFlow> flows;
    for (const FinishedCase& one : cases) {
        const std::vector<FinishedFlow> own = flows_of(one);
        flows.insert(flows.end(), own.begin(), own.end());
    }
    return flow_columns_record().table(flows);
}

TextRow row_of(const FinishedFlow& flow) {
    std::vector<std::string> route;
    for (const LinkId link : flow.plan().route) {
        route.push_back(flow.of->flows.link_names[link]);
    }
    const double time = flow.finish() - flow.start();
    return {{flow.name(), fmt::format("{:.9g}", flow.start()), fmt::format("{:.15g}", flow.plan().bytes),
             fmt::format("{:.9g}", flow.finish()), time > 0 ? fmt::format("{:.6g}", flow.plan().bytes / time) : "-",
             fmt::format("{}", fmt::join(route, " "))}};
}

std::string text_of(const FinishedCase& one) {
    TextTable table{
        .columns =
            {{"flow", Align::left}, {"start, s"}, {"bytes"}, {"finish, s"}, {"mean B/s"}, {"route", Align::left}},
        .rows = {},
        .margin = "  "};
    for (const FinishedFlow& flow : flows_of(one)) {
        table.rows.push_back(row_of(flow));
    }
    return fmt::format("{}: links: {}, flows: {}\n\n", one.flows.name, one.flows.links.size(), one.finish.size()) +
           text_of(table);
}

std::string text_of(const FinishedCases& cases) {
    std::string text;
    for (const FinishedCase& one : cases) {
        text += text.empty() ? "" : "\n";
        text += text_of(one);
    }
    return text;
}

Answer flows_answer(const std::string& file) {
    const auto cases = std::make_shared<const FinishedCases>(
        finished(parse_flow_cases(read_json_text(file, "a JSON file", written_by_programs), file)));
    return {.forms = {.text = [cases] { return text_of(*cases); },
                      .json = [cases] { return json_line(flows_record().json(*cases)); },
                      .table = [cases] { return table_of(*cases); }}};
}

Question flows_question() {
    const auto name = std::make_shared<std::string>();
    return {.rows = {as_argument(
                {"FILE", "", "the links and flows of one case or more, in JSON (docs/network.md)", file(*name)})},
            .offer = {.json = "print one JSON object instead of the tables",
                      .table = "write the flows of all cases as CSV"},
            .answer = [name](const Asked&) { return flows_answer(*name); }};
}

SchemaText flows_schema() {
    return schema_of_command("flows", flows_record().schema());
}

SchemaText flows_columns() {
    return columns_of_command("flows", flow_columns_record().columns());
}

}  // namespace

const Command flows_command{
    .name = "flows",
    .headline = "compute when flows end that share links max-min fairly",
    .summary = "Computes when flows over shared links end, if the links are shared max-min fairly at every instant.",
    .examples = {"ndsim flows cases.json           # a table for each case", "ndsim flows cases.json --json"},
    .schemas = {flows_schema, flows_columns},
    .question = flows_question};

}  // namespace sim::tools
