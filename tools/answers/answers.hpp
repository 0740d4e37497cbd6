// The answers of ndsim's commands for programs in this process: options by name in, the JSON text out that the command
// prints with --json.
#pragma once

#include "libsim/config/given.hpp"

#include <functional>
#include <span>
#include <string>

namespace sim::tools {

// True: the search ends early, and the answer is void.
using ShouldStop = std::function<bool()>;

struct AnswerRow {
    const char* command;  // "train"
    // Throws UsageError, also for an option that the command has not, with the nearest that it has.
    std::string (*answer)(const config::Given& options, const ShouldStop& should_stop);
};

std::span<const AnswerRow> answers();

}  // namespace sim::tools
