#include "tools/ndsim/command.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace sim::tools {

using namespace config;

namespace {

// Sets the options, and returns those that change the result, under the names that results use.
Given set_given(const std::vector<OptionRow>& rows, const Given& options) {
    Given named;
    for (const auto& [name, value] : options) {
        const OptionRow* const row = find_row(rows, name);
        if (row == nullptr) {
            throw UsageError(
                fmt::format("unknown option {}{}", shortened(name), did_you_mean(name, option_names(rows))));
        }
        // Sizes are text on the command line but may be numbers here.
        const TomlValue taken = std::holds_alternative<Text>(row->kind) ? TomlValue(typed_text(value)) : value;
        set_option(*row, name, taken);
        if (row->changes_result) {
            // Recorded as on the command line, where a list is text.
            const bool is_list = std::holds_alternative<List>(row->kind) || std::holds_alternative<Custom>(row->kind);
            named.emplace(row->name, is_list ? TomlValue(typed_text(value)) : taken);
        }
    }
    return named;
}

}  // namespace

Answer answer_of(const Command& command, const Given& options, Listener listener) {
    const Question question = command.question();
    Given named = set_given(question.rows, options);
    return question.answer({.given = std::move(named), .listener = std::move(listener)});
}

}  // namespace sim::tools
