// `ndsim flows FILE.json`: when flows over shared links end, that share them max-min fairly.
#include "libsim/config/text_file.hpp"
#include "libsim/report/text_table.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/flow_cases.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace command_line;
using namespace config;
namespace {

constexpr double picoseconds_per_second = 1e12;

struct FlowOptions {
    std::string file;
    command_line::Outputs outputs;
};

const command_line::Executable flows_command{
    .name = "ndsim flows",
    .summary = "When flows over shared links end, if at every instant the links are shared max-min fairly.",
    .examples = {"ndsim flows cases.json           # a table for each case", "ndsim flows cases.json --json"},
};

std::vector<config::OptionRow> option_rows(FlowOptions& options) {
    std::vector<config::OptionRow> rows{
        config::as_argument({"FILE", "", "the links and flows of one case or more, in JSON (docs/network.md)",
                             config::file(options.file)})};
    const std::vector<config::OptionRow> outputs = command_line::output_rows(
        options.outputs, {.json = "print one JSON object instead of the tables", .table = "the flows of all cases"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

// In seconds, one per flow.
std::vector<double> finish_seconds(const FlowCase& flow_case) {
    std::vector<double> finish = finish_times(flow_case.links, flow_case.flows);
    for (double& at : finish) {
        at /= picoseconds_per_second;
    }
    return finish;
}

std::string json_of(const std::vector<FlowCase>& cases) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const FlowCase& flow_case : cases) {
        list.push_back({{"name", flow_case.name}, {"finish", finish_seconds(flow_case)}});
    }
    return nlohmann::ordered_json{{"cases", list}}.dump() + "\n";
}

report::TextRow row_of(const FlowCase& flow_case, std::size_t i, double finish) {
    const PlannedFlow& flow = flow_case.flows[i];
    const double start = flow.at / picoseconds_per_second;
    std::vector<std::string> route;
    for (const LinkId link : flow.route) {
        route.push_back(flow_case.link_names[link]);
    }
    return {{flow_case.flow_names[i], fmt::format("{:.9g}", start), fmt::format("{:.15g}", flow.bytes),
             fmt::format("{:.9g}", finish), finish > start ? fmt::format("{:.6g}", flow.bytes / (finish - start)) : "-",
             fmt::format("{}", fmt::join(route, " "))}};
}

std::string table_of(const FlowCase& flow_case) {
    using report::Align;
    report::TextTable table{
        .columns =
            {{"flow", Align::left}, {"start, s"}, {"bytes"}, {"finish, s"}, {"mean B/s"}, {"route", Align::left}},
        .rows = {},
        .margin = "  "};
    const std::vector<double> finish = finish_seconds(flow_case);
    for (std::size_t i = 0; i < finish.size(); ++i) {
        table.rows.push_back(row_of(flow_case, i, finish[i]));
    }
    return fmt::format("{}: links: {}, flows: {}\n\n", flow_case.name, flow_case.links.size(), finish.size()) +
           text_of(table);
}

std::string tables_of(const std::vector<FlowCase>& cases) {
    std::string text;
    for (const FlowCase& flow_case : cases) {
        text += text.empty() ? "" : "\n";
        text += table_of(flow_case);
    }
    return text;
}

// Bare numbers, where the text has six figures.
report::Table flows_of(const std::vector<FlowCase>& cases) {
    using report::Cells;
    report::Table table{.columns = {{"case", report::Cells::words},
                                    {"flow", report::Cells::words},
                                    {"start_seconds"},
                                    {"bytes"},
                                    {"finish_seconds"}},
                        .rows = {}};
    for (const FlowCase& flow_case : cases) {
        const std::vector<double> finish = finish_seconds(flow_case);
        for (std::size_t i = 0; i < finish.size(); ++i) {
            const PlannedFlow& flow = flow_case.flows[i];
            table.rows.push_back({flow_case.name, flow_case.flow_names[i],
                                  fmt::format("{}", flow.at / picoseconds_per_second), fmt::format("{}", flow.bytes),
                                  fmt::format("{}", finish[i])});
        }
    }
    return table;
}

}  // namespace

int run_flows(int argc, const char* const* argv) {
    FlowOptions options;
    if (!command_line::take_options(flows_command, option_rows(options), argc, argv)) {
        return done;
    }
    command_line::check_outputs(options.outputs);
    const std::vector<FlowCase> cases =
        parse_flow_cases(config::read_json_text(options.file, "a JSON file", written_by_programs), options.file);
    command_line::write_outputs(options.outputs, {.text = [&] { return tables_of(cases); },
                                                  .json = [&] { return json_of(cases); },
                                                  .table = [&] { return flows_of(cases); }});
    return done;
}

}  // namespace sim::tools
