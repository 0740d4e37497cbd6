#include "tools/command_line/given_options.hpp"

#include "tools/command_line/exit.hpp"

namespace sim::command_line {

bool take_options(const Executable& executable, const std::vector<config::OptionRow>& rows, int argc,
                  const char* const* argv) {
    const auto read = read_settings(executable, rows, argc, argv);
    if (const auto* answer = std::get_if<Answer>(&read)) {
        print(answer->text);
        return false;
    }
    set_options(std::get<Settings>(read), rows);
    return true;
}

}  // namespace sim::command_line
