#include "tools/labs/desk/toolbox.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/toml_file.hpp"
#include "tools/command_line/child_process.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace sim::labs {

namespace {

// Replaces {prefix} by the installation's root folder, which may have been moved.
std::string replace_prefix(std::string text, const std::string& prefix) {
    const std::string sign = "{prefix}";
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + prefix.size())) {
        text.replace(at, sign.size(), prefix);
    }
    return text;
}

}  // namespace

Toolbox read_toolbox() {
    const std::string prefix = command_line::own_folder() + "/..";
    const std::string file = prefix + "/share/ndsim/labs.toml";
    Toolbox toolbox;
    std::string flags;
    std::string interpreter_elsewhere;
    try {
        for (const config::TomlEntry& entry : config::read_toml(file)) {
            const auto* text = std::get_if<std::string>(&entry.value);
            std::string* field = entry.key == "compiler"                ? &toolbox.compiler
                                 : entry.key == "flags"                 ? &flags
                                 : entry.key == "interpreter"           ? &toolbox.interpreter
                                 : entry.key == "interpreter_elsewhere" ? &interpreter_elsewhere
                                 : entry.key == "python_path"           ? &toolbox.python_path
                                                                        : nullptr;
            if (text != nullptr && field != nullptr) {
                *field = *text;
            }
        }
    } catch (const config::UsageError& error) {
        throw config::MachineLimit(fmt::format("labs cannot be run: {}", error.what()));
    }
    std::istringstream words(flags);
    for (std::string word; words >> word;) {
        toolbox.flags.push_back(replace_prefix(word, prefix));
    }
    toolbox.interpreter = replace_prefix(toolbox.interpreter, prefix);
    // A package that is installed for the whole machine or for a user has no interpreter next to it: use the one on the
    // path with its version.
    if (!interpreter_elsewhere.empty() && !std::filesystem::exists(toolbox.interpreter)) {
        toolbox.interpreter = interpreter_elsewhere;
    }
    toolbox.python_path = replace_prefix(toolbox.python_path, prefix);
    return toolbox;
}

bool pytorch_is_here() {
    const char* const look = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('torch'))";
    return command_line::run_child("/usr/bin/env", {read_toolbox().interpreter, "-c", look},
                                   {.out = "/dev/null", .err = "/dev/null"}) == 0;
}

void let_python_find_ndsim(const Toolbox& toolbox) {
    if (toolbox.python_path.empty()) {
        return;
    }
    const char* const before = std::getenv("PYTHONPATH");
    const bool has_more = before != nullptr && *before != '\0';
    ::setenv("PYTHONPATH", (toolbox.python_path + (has_more ? ":" + std::string(before) : "")).c_str(), 1);
}

}  // namespace sim::labs
