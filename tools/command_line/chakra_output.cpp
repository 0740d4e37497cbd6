#include "tools/command_line/outputs.hpp"

#include "libsim/config/errors.hpp"
#include "tools/command_line/trace_output.hpp"

#include <fmt/format.h>

#ifdef NDSIM_CHAKRA
#include "libsim/error.hpp"
#include "libsim/interop/chakra/files.hpp"
#include "libsim/interop/chakra/from_program.hpp"

#include <memory>
#endif

namespace sim::command_line {

#ifdef NDSIM_CHAKRA

void check_chakra(const std::string& folder) {
    check_output_folder(folder);
}

std::vector<report::TraceFile> chakra_files(const RecordedProgram& program) {
    const auto traces = std::make_shared<std::vector<chakra::RankTrace>>();
    try {
        *traces = chakra::traces_of(*program.ops, *program.cluster);
    } catch (const ProgramError& error) {
        throw config::OutputError(fmt::format("--chakra: {}", error.what()));
    }
    std::vector<report::TraceFile> files = chakra::files_of(program.title, *traces);
    for (report::TraceFile& file : files) {
        file.write = [traces, write = std::move(file.write)](std::ostream& out) { write(out); };  // keeps them alive
    }
    return files;
}

#else

void check_chakra(const std::string&) {
    throw config::MachineLimit(without_protobuf);
}

std::vector<report::TraceFile> chakra_files(const RecordedProgram&) {
    throw config::MachineLimit(without_protobuf);
}

#endif

}  // namespace sim::command_line
