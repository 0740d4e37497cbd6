// This table lists the commands of `ndsim`, which --help prints. A new command is a file and a row here.
#pragma once

#include "tools/ndsim/command.hpp"

#include <array>

namespace sim::tools {

extern const Command train_command, explain_command, memory_command, plan_command, sweep_command, goodput_command;
extern const Command collective_command, compare_command, models_command, hardware_command, calibrate_command;
extern const Command topology_command, flows_command, goal_command, chakra_command, trace_command, lab_command;
extern const Command validate_command, doctor_command, completion_command;

// In display order.
inline constexpr std::array commands{
    &train_command,     &explain_command,    &memory_command,   &plan_command,   &sweep_command,
    &goodput_command,   &collective_command, &compare_command,  &models_command, &hardware_command,
    &calibrate_command, &topology_command,   &flows_command,    &goal_command,   &chakra_command,
    &trace_command,     &lab_command,        &validate_command, &doctor_command, &completion_command,
};

}  // namespace sim::tools
