#include "tools/command_line/goal_output.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/goal/from_program.hpp"
#include "libsim/goal/write.hpp"

#include <fmt/format.h>

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

void write_goal(std::ostream& out, const RecordedProgram& program) {
    const goal::WrittenProgram written = written_down(program);
    const int ranks = program.ops->ranks();
    const bool in_units = written.sizes == Measure::units;
    goal::write_text(
        out, written.schedule,
        fmt::format("{}, {} rank{}. Times are in picoseconds, sizes in {}.\n"
                    "On the network that it ran on: ndsim goal FILE --profile {}{}",
                    program.title, ranks, ranks == 1 ? "" : "s", in_units ? "billionths of a unit" : "bytes",
                    program.profile, in_units ? " --sizes units" : ""));
}

}  // namespace sim::command_line
