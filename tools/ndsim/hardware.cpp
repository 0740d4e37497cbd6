// `ndsim hardware [NAME|FILE.toml]`: the machines and accelerators there are, and every number of one with its source.
// `ndsim hardware import FILE`: a machine file of what other tools say of a node.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/interop/machine_import/machine_of_node.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tools/answers/hardware_report.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace command_line;
using namespace predict;
using namespace machine_import;

namespace {

const Executable hardware_command{
    .name = "ndsim hardware",
    .summary =
        "Machines and accelerators: a list of them, or every number of one and where it comes from. import makes a "
        "machine file of NCCL's topology, or of nvidia-smi topo -m.",
    .examples = {"ndsim hardware                        # all that ship with ndsim",
                 "ndsim hardware dgx-h100               # every number, with its source",
                 "ndsim hardware H100-SXM-80GB          # an accelerator alone",
                 "ndsim hardware cluster.toml --json    # your own",
                 "ndsim hardware import topology.xml --out cluster.toml    # NCCL_TOPO_DUMP_FILE's"},
};

const std::string import_action = "import";

struct HardwareOptions {
    std::string name;
    std::string file;  // of import
    ImportFacts facts;
    std::string out;
    Outputs outputs;

    bool imports() const { return name == import_action; }
};

std::vector<config::OptionRow> hardware_rows(HardwareOptions& options) {
    std::vector<std::string> known = training::machine_names();
    const std::vector<std::string> accelerators = training::accelerator_names();
    known.insert(known.end(), accelerators.begin(), accelerators.end());
    known.push_back(import_action);
    std::vector<config::OptionRow> rows{
        config::as_argument({"NAME", "", "a machine, an accelerator or a FILE.toml; or import",
                             config::name_or_file(options.name, known)},
                            config::Role::optional_argument),
        config::as_argument({"FILE", "", "import: the XML of NCCL_TOPO_DUMP_FILE, or what nvidia-smi topo -m prints",
                             config::file(options.file)},
                            config::Role::optional_argument),
        {"gpu", "NAME", "import: the accelerator, where the file does not tell it",
         config::name_or_file(options.facts.gpu, accelerators)},
        {"card-gbit", "N", "import: Gb/s of one network card, where the file does not tell it",
         config::real(options.facts.card_gigabits, 0.1, 1e5)},
        {"name", "NAME", "import: what the machine is called; the file's name", config::text(options.facts.name)},
        config::writing({"out", "FILE", "import: write the machine file to FILE; it is printed otherwise",
                         config::file(options.out)})};
    const std::vector<config::OptionRow> formats =
        output_rows(options.outputs, {.table = "every number and its source; without NAME all machines"});
    rows.insert(rows.end(), formats.begin(), formats.end());
    return rows;
}

void check_hardware_options(const HardwareOptions& options) {
    if (options.imports() && options.file.empty()) {
        throw config::UsageError("import reads a file: ndsim hardware import FILE");
    }
    if (options.imports()) {
        return;
    }
    if (!options.file.empty()) {
        throw config::UsageError(fmt::format("unexpected argument \"{}\"; only import reads a file of another tool",
                                             config::shortened(options.file)));
    }
    const std::pair<const char*, bool> given[] = {{"gpu", !options.facts.gpu.empty()},
                                                  {"card-gbit", options.facts.card_gigabits > 0},
                                                  {"name", !options.facts.name.empty()},
                                                  {"out", !options.out.empty()}};
    for (const auto& [option, is_given] : given) {
        if (is_given) {
            throw config::UsageError(fmt::format("--{} is an option of import", option));
        }
    }
}

// "topology" of "here/topology.xml".
std::string stem_of(const std::string& file) {
    const std::string name = file.substr(file.find_last_of('/') + 1);
    return name.substr(0, name.find_last_of('.'));
}

void show_one(const training::Hardware& hardware, const HardwareOptions& options,
              const std::function<std::string()>& text) {
    write_outputs(
        options.outputs,
        {.text = text, .json = [&] { return hardware_json(hardware); }, .table = [&] { return numbers_of(hardware); }});
}

void import_node(HardwareOptions options) {
    if (!options.out.empty()) {
        check_output(options.out);
    }
    const std::string read = config::read_text(options.file, "NCCL's topology, or the matrix of nvidia-smi topo -m");
    options.facts.name = options.facts.name.empty() ? stem_of(options.file) : options.facts.name;
    const std::string text = machine_file_of(read_described_node(read, options.file), options.facts);
    // Read back, so that nothing is written that --machine refuses.
    const training::Hardware hardware = training::hardware_of_toml(text, options.facts.name);
    if (!options.out.empty()) {
        write_output(options.out, [&](std::ostream& out) { out << text; });
    }
    const bool prints_file = options.out.empty();
    show_one(hardware, options, [&] { return prints_file ? text : hardware_text(hardware); });
}

}  // namespace

int run_hardware(int argc, const char* const* argv) {
    HardwareOptions options;
    if (!take_options(hardware_command, hardware_rows(options), argc, argv)) {
        return done;
    }
    check_hardware_options(options);
    check_outputs(options.outputs);
    if (options.imports()) {
        import_node(options);
    } else if (options.name.empty()) {
        write_outputs(options.outputs, {.text = hardware_list_text, .json = hardware_list_json, .table = machine_rows});
    } else {
        const training::Hardware hardware = read_hardware(options.name);
        show_one(hardware, options, [&] { return hardware_text(hardware); });
    }
    return done;
}

}  // namespace sim::tools
