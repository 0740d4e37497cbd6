// `ndsim hardware [NAME|FILE.toml]`: the machines and accelerators there are, and every number of one with its source.
#include "libsim/planning/machine_file.hpp"
#include "tools/answers/hardware_report.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

namespace sim::tools {

using namespace command_line;
using namespace planning;

namespace {

const command_line::Executable hardware_command{
    .name = "ndsim hardware",
    .summary = "Machines and accelerators: a list of them, or every number of one and where it comes from.",
    .examples = {"ndsim hardware                        # all that ship with ndsim",
                 "ndsim hardware dgx-h100               # every number, with its source",
                 "ndsim hardware H100-SXM-80GB          # an accelerator alone",
                 "ndsim hardware cluster.toml --json    # your own"},
};

}  // namespace

int run_hardware(int argc, const char* const* argv) {
    std::string name;
    command_line::Outputs outputs;
    std::vector<std::string> known = training::machine_names();
    const std::vector<std::string> accelerators = training::accelerator_names();
    known.insert(known.end(), accelerators.begin(), accelerators.end());
    std::vector<config::OptionRow> rows{
        config::as_argument({"NAME", "", "a machine, an accelerator or a FILE.toml", config::name_or_file(name, known)},
                            config::Role::optional_argument)};
    const std::vector<config::OptionRow> formats =
        command_line::output_rows(outputs, {.table = "every number and its source; without NAME all machines"});
    rows.insert(rows.end(), formats.begin(), formats.end());
    if (!command_line::take_options(hardware_command, rows, argc, argv)) {
        return done;
    }
    command_line::check_outputs(outputs);
    if (name.empty()) {
        command_line::write_outputs(outputs,
                                    {.text = hardware_list_text, .json = hardware_list_json, .table = machine_rows});
        return done;
    }
    const training::Hardware hardware = planning::read_hardware(name);
    command_line::write_outputs(outputs, {.text = [&] { return hardware_text(hardware); },
                                          .json = [&] { return hardware_json(hardware); },
                                          .table = [&] { return numbers_of(hardware); }});
    return done;
}

}  // namespace sim::tools
