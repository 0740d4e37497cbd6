// A fault in the lines of the learner's file.
#include "libsim/config/text_file.hpp"
#include "tools/labs/show/verdict_text.hpp"

#include <fmt/format.h>

#include <sstream>

namespace sim::labs {

namespace {

// Line `number` of the text, without the blanks around it.
std::string line_of(const std::string& text, int number) {
    std::istringstream lines(text);
    std::string line;
    for (int i = 0; i < number && std::getline(lines, line); ++i) {
    }
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

std::string place(const lab::Line& line, const std::string& text) {
    if (line.file.empty()) {
        return "";
    }
    return fmt::format("{}:{}: {}", line.file, line.number, line_of(text, line.number));
}

// Who would have to act, and what it does instead.
std::string who_could(const ranks::Fault& fault, std::size_t at, const std::vector<lab::Line>& lines) {
    const int who = fault.ops[at].waits_for;
    for (std::size_t i = 0; i < fault.ops.size(); ++i) {
        if (fault.ops[i].rank == who && who >= 0) {
            const std::string where = i < lines.size() && !lines[i].file.empty()
                                          ? fmt::format(" at {}:{}", lines[i].file, lines[i].number)
                                          : "";
            return where.empty() ? "" : fmt::format("; rank {} could answer, but waits itself{}", who, where);
        }
    }
    return who < 0 ? "" : fmt::format("; rank {} could have answered, and came to its end without it", who);
}

std::string of_deadlock(const Record& found, const std::string& text) {
    constexpr std::size_t most = 8;
    const ranks::Fault& fault = *found.fault;
    std::string told =
        fmt::format("Deadlock: {} of {} ranks wait for what never comes.\n", fault.ops.size(), found.timeline.ranks);
    for (std::size_t i = 0; i < std::min(fault.ops.size(), most); ++i) {
        const kernel::WrongOp& op = fault.ops[i];
        told += fmt::format("  rank {} waits in: {}\n", op.rank, op.what);
        if (const std::string where = i < found.lines.size() ? place(found.lines[i], text) : ""; !where.empty()) {
            told += fmt::format("    {}\n", where);
        }
        told += fmt::format("    {}{}\n", op.why, who_could(fault, i, found.lines));
    }
    if (fault.ops.size() > most) {
        told += fmt::format("  … and {} ranks more\n", fault.ops.size() - most);
    }
    return told;
}

}  // namespace

std::string explain_fault(const Record& found, const Desk& desk) {
    const ranks::Fault& fault = *found.fault;
    const std::string text = config::read_text(desk.file(), "a lab");
    if (fault.mistake == ranks::Mistake::deadlock && !fault.ops.empty()) {
        return of_deadlock(found, text);
    }
    if (const auto gap = found.reports.find(lab::gap_report); gap != found.reports.end()) {
        const int line = static_cast<int>(gap->second.begin()->second.at(0));
        return fmt::format("Nothing is written here yet:\n  {}\n", place({file_of(desk.language), line}, text));
    }
    std::string told = fault.message + "\n";
    for (std::size_t i = 0; i < fault.ops.size(); ++i) {
        if (const std::string where = i < found.lines.size() ? place(found.lines[i], text) : ""; !where.empty()) {
            told += fmt::format("  rank {} at {}\n", fault.ops[i].rank, where);
        }
    }
    return told;
}

}  // namespace sim::labs
