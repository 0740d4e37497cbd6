// `ndsim hardware [NAME|FILE.toml]` lists machines and accelerators, or every number of one with its source.
// `ndsim hardware import FILE` makes a machine file from other tools' description of a node.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/interop/machine_import/machine_of_node.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/hardware/report.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace predict;
using namespace machine_import;

namespace {

const std::string import_action = "import";

struct HardwareOptions {
    std::string name;
    std::string file;  // the file to import
    ImportFacts facts;
    std::string out;

    bool imports() const { return name == import_action; }
};

std::vector<config::OptionRow> hardware_rows(HardwareOptions& options) {
    std::vector<std::string> known = training::machine_names();
    const std::vector<std::string> accelerators = training::accelerator_names();
    known.insert(known.end(), accelerators.begin(), accelerators.end());
    known.push_back(import_action);
    return {
        config::as_argument({"NAME", "", "a machine, an accelerator or a FILE.toml; or import",
                             config::name_or_file(options.name, known)},
                            config::Role::optional_argument),
        config::as_argument({"FILE", "", "import: the XML of NCCL_TOPO_DUMP_FILE, or the output of nvidia-smi topo -m",
                             config::file(options.file)},
                            config::Role::optional_argument),
        {"gpu", "NAME", "import: the accelerator, if the file does not name it",
         config::name_or_file(options.facts.gpu, accelerators)},
        {"card-gbit", "N", "import: Gb/s of one network card, if the file does not give it",
         config::real(options.facts.card_gigabits, 0.1, 1e5)},
        {"name", "NAME", "import: name of the machine (the file's name)", config::text(options.facts.name)},
        config::writing(
            {"out", "FILE", "import: write the machine file to FILE (default: print it)", config::file(options.out)})};
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

// Returns "topology" for "here/topology.xml".
std::string stem_of(const std::string& file) {
    const std::string name = file.substr(file.find_last_of('/') + 1);
    return name.substr(0, name.find_last_of('.'));
}

// The answer for one hardware, with its usual text unless another is given.
Answer answer_of(training::Hardware read, std::string text = "") {
    const auto hardware = std::make_shared<const training::Hardware>(std::move(read));
    return {.forms = {.text = [=] { return text.empty() ? hardware_text(*hardware) : text; },
                      .json = [=] { return hardware_json(*hardware); },
                      .table = [=] { return numbers_of(*hardware); }}};
}

Answer import_node(HardwareOptions options) {
    if (!options.out.empty()) {
        check_output(options.out);
    }
    const std::string read = config::read_text(options.file, "NCCL's topology, or the matrix of nvidia-smi topo -m");
    options.facts.name = options.facts.name.empty() ? stem_of(options.file) : options.facts.name;
    const std::string text = machine_file_of(read_described_node(read, options.file), options.facts);
    // Read back, so that no file is written that --machine would refuse.
    training::Hardware hardware = training::hardware_of_toml(text, options.facts.name);
    if (!options.out.empty()) {
        write_output(options.out, [&](std::ostream& out) { out << text; });
    }
    return answer_of(std::move(hardware), options.out.empty() ? text : "");
}

Answer hardware_answer(const HardwareOptions& options) {
    check_hardware_options(options);
    if (options.imports()) {
        return import_node(options);
    }
    if (options.name.empty()) {
        return {.forms = {.text = hardware_list_text, .json = hardware_list_json, .table = machine_rows}};
    }
    return answer_of(read_hardware(options.name));
}

Question hardware_question() {
    const auto options = std::make_shared<HardwareOptions>();
    return {.rows = hardware_rows(*options),
            .offer = {.table = "write every number and its source as CSV; without NAME, all machines"},
            .answer = [options](const Asked&) { return hardware_answer(*options); }};
}

}  // namespace

const Command hardware_command{
    .name = "hardware",
    .headline = "list machines and accelerators: every number, and where it comes from",
    .summary =
        "Lists machines and accelerators, or every number of one and where it comes from. import makes a machine file "
        "from NCCL's topology, or from nvidia-smi topo -m.",
    .examples = {"ndsim hardware                        # all that ship with ndsim",
                 "ndsim hardware dgx-h100               # every number, with its source",
                 "ndsim hardware H100-SXM-80GB          # an accelerator alone",
                 "ndsim hardware cluster.toml --json    # your own",
                 "ndsim hardware import topology.xml --out cluster.toml    # from NCCL_TOPO_DUMP_FILE"},
    .schemas = {hardware_schema, hardware_columns},
    .question = hardware_question};

}  // namespace sim::tools
