#include "tools/labs/classes/roster.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace sim::labs {

namespace {

using Row = std::vector<std::string>;

// Columns by the systems' names for them, in lower case.
struct Column {
    const char* name;
    std::string Student::*member;
};
constexpr std::array columns{Column{"email", &Student::email},
                             Column{"email address", &Student::email},
                             Column{"sid", &Student::id},
                             Column{"student id", &Student::id},
                             Column{"identifier", &Student::id},
                             Column{"id", &Student::id},
                             Column{"github_username", &Student::github},
                             Column{"github", &Student::github}};

std::string trimmed(const std::string& text) {
    const char* const blanks = " \t\r";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// The cells of a line, with RFC 4180 quotes that end on the same line.
Row cells_of(const std::string& line) {
    Row cells{""};
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[i++];
        } else if (line[i] == '"') {
            is_quoted = !is_quoted;
        } else if (line[i] == ',' && !is_quoted) {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    std::transform(cells.begin(), cells.end(), cells.begin(), trimmed);
    return cells;
}

std::vector<std::string> lines_of(std::string text) {
    if (text.starts_with("\xef\xbb\xbf")) {  // spreadsheets write a byte order mark
        text.erase(0, 3);
    }
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::vector<std::string Student::*> members_of(const std::string& file, const Row& header) {
    std::vector<std::string Student::*> members;
    for (const std::string& cell : header) {
        const auto* const column =
            std::find_if(columns.begin(), columns.end(), [&](const Column& each) { return lower(cell) == each.name; });
        members.push_back(column == columns.end() ? nullptr : column->member);
    }
    if (std::all_of(members.begin(), members.end(), [](auto member) { return member == nullptr; })) {
        throw config::UsageError(
            fmt::format("{}:1: the first line must name the columns, one of them email, SID or github_username", file));
    }
    return members;
}

}  // namespace

std::vector<std::string> Student::names() const {
    std::vector<std::string> all;
    for (const std::string& each : {email, id, github}) {
        if (!each.empty()) {
            all.push_back(each);
        }
    }
    return all;
}

std::vector<Student> read_roster(const std::string& file) {
    const std::vector<std::string> lines = lines_of(config::read_text(file, "a roster"));
    const auto members = members_of(file, cells_of(lines.empty() ? "" : lines.front()));
    std::vector<Student> roster;
    std::map<std::string, std::size_t> line_of;
    for (std::size_t at = 1; at < lines.size(); ++at) {
        const Row cells = cells_of(lines[at]);
        if (std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); })) {
            continue;
        }
        Student student;
        for (std::size_t i = 0; i < std::min(cells.size(), members.size()); ++i) {
            if (members[i] != nullptr) {
                student.*members[i] = cells[i];
            }
        }
        if (student.names().empty()) {
            throw config::UsageError(
                fmt::format("{}:{}: this student has no email, SID or github_username", file, at + 1));
        }
        for (const std::string& name : student.names()) {
            if (const auto [first, is_new] = line_of.try_emplace(lower(name), at + 1); !is_new) {
                throw config::UsageError(
                    fmt::format("{}:{}: {} is in line {} already", file, at + 1, name, first->second));
            }
        }
        roster.push_back(std::move(student));
    }
    if (roster.empty()) {
        throw config::UsageError(file + ": there is nobody in this roster");
    }
    return roster;
}

}  // namespace sim::labs
