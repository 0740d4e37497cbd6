#include "tools/command_line/outputs.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/interop/goal/from_program.hpp"
#include "libsim/interop/goal/write.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::command_line {

namespace {

goal::WrittenProgram written_down(const RecordedProgram& program) {
    try {
        return goal::write_down(*program.ops, *program.cluster);
    } catch (const ProgramError& error) {
        throw config::OutputError(fmt::format("--goal: {}", error.what()));
    }
}

}  // namespace

std::vector<report::TraceFile> goal_file(const RecordedProgram& program) {
    const auto written = std::make_shared<const goal::WrittenProgram>(written_down(program));
    const int ranks = program.ops->ranks();
    const bool in_units = written->sizes == Measure::units;
    std::string comment = fmt::format("{}, {} rank{}. Times are in picoseconds, sizes in {}.", program.title, ranks,
                                      ranks == 1 ? "" : "s", in_units ? "billionths of a unit" : "bytes");
    if (!program.profile.empty()) {
        comment += fmt::format("\nOn the network that it ran on: ndsim goal FILE --profile {}{}", program.profile,
                               in_units ? " --sizes units" : "");
    }
    return {{.name = "",
             .write = [written, comment](std::ostream& out) { goal::write_text(out, written->schedule, comment); }}};
}

}  // namespace sim::command_line
