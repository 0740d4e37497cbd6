// The answers of ndsim's commands for programs in this process: options by name in; out comes what the command prints,
// in each of its forms.
#pragma once

#include "libsim/config/given.hpp"

#include <functional>
#include <span>
#include <string>

namespace sim::tools {

// True: the search ends early, and the answer is void.
using ShouldStop = std::function<bool()>;

struct Answer {
    std::string json;                      // as --json prints it
    std::function<std::string()> text;     // for people; made when it is asked for
    std::function<std::string()> picture;  // an SVG file; empty where nothing is to be seen
};

struct AnswerRow {
    const char* command;  // "train"
    // Throws UsageError, also for an option that the command has not, with the nearest that it has.
    Answer (*answer)(const config::Given& options, const ShouldStop& should_stop);
};

std::span<const AnswerRow> answers();

}  // namespace sim::tools
