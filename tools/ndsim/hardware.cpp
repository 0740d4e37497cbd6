#include "tools/ndsim/hardware.hpp"

#include "libsim/planning/machine_file.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/given_options.hpp"
#include "tools/ndsim/hardware_report.hpp"

namespace sim::scenarios {

namespace {

const Executable executable{
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
    bool json = false;
    const std::vector<OptionRow> rows{
        as_argument({"NAME", "", "a machine, an accelerator or a FILE.toml", text(name)}, Role::optional_argument),
        {"json", "", "print one JSON object", flag(json)}};
    if (!take_options(executable, rows, argc, argv)) {
        return done;
    }
    if (name.empty()) {
        print(json ? hardware_list_json() : hardware_list_text());
        return done;
    }
    const model::Hardware hardware = read_hardware(name);
    print(json ? hardware_json(hardware) : hardware_text(hardware));
    return done;
}

}  // namespace sim::scenarios
