// A result file is what a scenario or a command of ndsim printed with --json.
#pragma once

#include "libsim/config/errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace sim::tools {

using ResultJson = nlohmann::ordered_json;

// Throws UsageError: the file is not what it must be.
[[noreturn]] void refuse_result(const std::string& file, const std::string& what);
// Throws UsageError unless the JSON may be a result of a scenario or of `ndsim train`.
void check_result(const std::string& file, const ResultJson& json);

// Returns read(json) of a result's text. Throws UsageError, one line that begins with the file's name, if the text is
// no JSON or lacks what `read` asks for.
template <class Read>
auto read_result(const std::string& file, const std::string& text, const Read& read) {
    if (text.empty()) {
        refuse_result(file, "nothing: a run that failed prints no result");
    }
    try {
        const ResultJson json = ResultJson::parse(text);
        check_result(file, json);
        return read(json);
    } catch (const ResultJson::parse_error& error) {
        throw config::UsageError(fmt::format("{}: is not valid JSON: {}", file, config::without_number(error.what())));
    } catch (const ResultJson::exception& error) {
        refuse_result(file, fmt::format("one with {}", config::without_number(error.what())));
    } catch (const std::out_of_range& error) {
        refuse_result(file, fmt::format("one with another time: {}", error.what()));
    }
}

}  // namespace sim::tools
