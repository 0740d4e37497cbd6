#include "libsim/config/shell_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sim::config {

namespace {

std::string typed_option(const OptionRow& row, const TomlValue& value) {
    if (std::holds_alternative<Flag>(row.kind)) {
        return std::get<bool>(value) ? " --" + row.name : "";
    }
    if (std::holds_alternative<bool>(value)) {
        return fmt::format(" --{} {}", row.name, std::get<bool>(value) ? "on" : "off");
    }
    return fmt::format(" --{} {}", row.name, shell_word(typed_text(value)));
}

// Splits into the program and each option with its value: a line may break between them.
std::vector<std::string> parts_of(const std::string& command) {
    std::vector<std::string> parts{""};
    bool is_quoted = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        is_quoted ^= command[i] == '\'';
        if (!is_quoted && command.compare(i, 3, " --") == 0) {
            parts.emplace_back();
        } else {
            parts.back() += command[i];
        }
    }
    return parts;
}

}  // namespace

std::string shell_word(const std::string& text) {
    const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("-_./,:=+@%").find(static_cast<char>(c)) != std::string::npos;
    });
    if (is_plain) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

std::string shell_command(const std::string& program, const std::vector<OptionRow>& rows, const Given& given) {
    std::string text = program;
    for (const OptionRow& row : rows) {
        if (const auto value = given.find(row.name); value != given.end()) {
            text += typed_option(row, value->second);
        }
    }
    return text;
}

std::string continued_command(const std::string& command, std::size_t width, std::size_t first, std::size_t margin) {
    constexpr std::size_t backslash = 2;  // with the blank before it
    std::string text;
    std::size_t column = first;
    const std::vector<std::string> parts = parts_of(command);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string& part = parts[i];
        const bool is_last = i + 1 == parts.size();
        if (!text.empty() && column + 1 + part.size() + (is_last ? 0 : backslash) > width) {
            text += " \\\n" + std::string(margin, ' ');
            column = margin;
        } else if (!text.empty()) {
            text += " ";
            ++column;
        }
        text += part;
        column += part.size();
    }
    return text + "\n";
}

}  // namespace sim::config
