#include "libsim/config/injection_text.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/error.hpp"
#include "libsim/faults/conditions.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <regex>

namespace sim::config {

namespace {

using faults::Injection;
using Parts = std::smatch;

constexpr std::size_t longest_text = 300;
// Lifetimes are whole picoseconds: a mean of only a few is not a usable distribution, and no machine fails that often.
constexpr Duration shortest_mean{1'000'000};

// A part with the right characters that is still not a valid value.
struct NoValue {
    std::string why;
};

Duration duration_in(const std::string& text) {
    const std::optional<Duration> found = duration_of_text(text);
    if (!found) {
        throw NoValue{fmt::format("'{}' is not a time such as 120ms or 1.5s", text)};
    }
    return *found;
}

Duration span_in(const std::string& text) {
    const Duration span = duration_in(text);
    if (span.count() == 0) {
        throw NoValue{fmt::format("'{}' must be above 0", text)};
    }
    return span;
}

Time time_in(const std::string& text) {
    return Time{duration_in(text)};
}

double factor_in(const std::string& text) {
    const double factor = std::stod(text);
    if (!(factor >= 1 && factor <= 1e6)) {
        throw NoValue{fmt::format("x{} must be x1 to x1000000: the factor by which it takes longer", text)};
    }
    return factor;
}

// Parses " from T to T every T", each part optional.
faults::Window window_in(const Parts& parts, std::size_t first) {
    faults::Window window;
    window.from = parts[first].matched ? time_in(parts[first]) : Time{};
    window.until = parts[first + 1].matched ? time_in(parts[first + 1]) : Time::max();
    if (window.until <= window.from) {
        throw NoValue{"it must end after it begins"};
    }
    if (parts[first + 2].matched) {
        window.every = duration_in(parts[first + 2]);
        if (window.until == Time::max() || window.every < window.until - window.from) {
            throw NoValue{"a repeated fault must end before it repeats: add 'to TIME'"};
        }
    }
    return window;
}

faults::LinkEnd end_in(const std::string& text) {
    return text.front() == '\'' ? faults::LinkEnd(text.substr(1, text.size() - 2)) : faults::LinkEnd(std::stoi(text));
}

struct Form {
    const char* shown;
    const char* pattern;  // R: a number; T: a time; X: a factor; W: when; E: an end of a link
    Injection (*read)(const Parts& parts);
};

const Form forms[] = {
    {"kill rank R at TIME", "kill rank R at T",
     [](const Parts& p) -> Injection {
         return faults::KillRank{std::stoi(p[1]), time_in(p[2])};
     }},
    {"kill node N at TIME", "kill node R at T",
     [](const Parts& p) -> Injection {
         return faults::KillNode{std::stoi(p[1]), time_in(p[2])};
     }},
    {"stop rank R at TIME for TIME", "stop rank R at T for T",
     [](const Parts& p) -> Injection {
         return faults::StopRank{std::stoi(p[1]), time_in(p[2]), span_in(p[3])};
     }},
    {"slow rank R xFACTOR [from TIME] [to TIME] [every TIME]", "slow rank R XW",
     [](const Parts& p) -> Injection {
         return faults::SlowRank{std::stoi(p[1]), factor_in(p[2]), window_in(p, 3)};
     }},
    {"slow link A-B xFACTOR [from TIME] [to TIME] [every TIME]", "slow link E ?- ?E XW",
     [](const Parts& p) -> Injection {
         return faults::SlowLink{end_in(p[1]), end_in(p[2]), factor_in(p[3]), window_in(p, 4)};
     }},
    {"drop nic N [at TIME]", "drop nic R(?: at T)?",
     [](const Parts& p) -> Injection {
         return faults::DropNic{std::stoi(p[1]), p[2].matched ? time_in(p[2]) : Time{}};
     }},
    {"fail rank|node|nic mtbf TIME [shape X] [seed N]",
     "fail (rank|node|nic) mtbf T(?: shape ([0-9.]{1,10}))?(?: seed R)?",
     [](const Parts& p) -> Injection {
         const double shape = p[3].matched ? std::stod(p[3]) : 1;
         const Duration mean = duration_in(p[2]);
         if (!(shape >= 0.1 && shape <= 20) || mean < shortest_mean) {
             throw NoValue{"a mean of 1us or more, and a shape of 0.1 to 20, are needed"};
         }
         const auto* const part = std::ranges::find_if(
             faults::all_parts, [&](faults::Part each) { return typed_name_of(each) == p[1].str(); });
         return faults::RandomFailures{*part, mean, shape, p[4].matched ? std::stoull(p[4]) : std::uint64_t{1}};
     }},
    {"noise SHARE% [on rank R] [seed N]", "noise ([0-9.]{1,10}) ?%(?: on rank R)?(?: seed R)?",
     [](const Parts& p) -> Injection {
         const double share = std::stod(p[1]);
         if (!(share <= 1000)) {
             throw NoValue{fmt::format("noise of {} % must be 0 to 1000 %", std::string(p[1]))};
         }
         return faults::Noise{p[2].matched ? std::stoi(p[2]) : -1, share / 100,
                              p[3].matched ? std::stoull(p[3]) : std::uint64_t{1}};
     }},
};

std::regex regex_of(const char* pattern) {
    std::string all;
    for (const char* at = pattern; *at != '\0'; ++at) {
        switch (*at) {
            case 'R': all += "([0-9]{1,9})"; break;
            case 'T': all += "([0-9.]{1,30} ?[a-z]{1,3})"; break;
            case 'X': all += "x ?([0-9]{1,12}(?:\\.[0-9]{0,12})?)"; break;
            case 'W':
                all +=
                    "(?: from ([0-9.]{1,30} ?[a-z]{1,3}))?(?: to ([0-9.]{1,30} ?[a-z]{1,3}))?"
                    "(?: every ([0-9.]{1,30} ?[a-z]{1,3}))?";
                break;
            case 'E': all += "([0-9]{1,9}|'[^']{1,100}')"; break;
            default: all += *at;
        }
    }
    return std::regex(all);
}

// Collapses blanks to single spaces and trims both ends.
std::string tidy(const std::string& text) {
    std::string all;
    for (const char c : text) {
        if (c != ' ' || (!all.empty() && all.back() != ' ')) {
            all += c;
        }
    }
    return all.empty() || all.back() != ' ' ? all : all.substr(0, all.size() - 1);
}

// The form that shares the longest beginning with the text; all forms if none does.
std::string forms_like(const std::string& text) {
    std::string found;
    std::size_t longest = 1;
    for (const Form& form : forms) {
        const std::string shown = form.shown;
        const auto same = static_cast<std::size_t>(
            std::mismatch(text.begin(), text.end(), shown.begin(), shown.end()).first - text.begin());
        if (same > longest) {
            longest = same;
            found = shown;
        }
    }
    return found.empty() ? fmt::format("{}", fmt::join(injection_forms(), "; ")) : found;
}

}  // namespace

std::vector<std::string> injection_forms() {
    std::vector<std::string> all;
    for (const Form& form : forms) {
        all.emplace_back(form.shown);
    }
    return all;
}

Injection injection_of_text(const std::string& what, const std::string& text) {
    const std::string tidied = tidy(text.substr(0, longest_text));
    for (const Form& form : forms) {
        Parts parts;
        if (!std::regex_match(tidied, parts, regex_of(form.pattern))) {
            continue;
        }
        try {
            return form.read(parts);
        } catch (const NoValue& no) {
            throw UsageError(fmt::format("{} '{}': {}", what, tidied, no.why));
        } catch (const std::logic_error&) {  // a number such as "1.2.3"
            break;
        }
    }
    throw UsageError(fmt::format("{} '{}' is no fault; write {}", what, tidied, forms_like(tidied)));
}

OptionRow fault_row(std::vector<faults::Injection>& faults) {
    const auto take = [&faults](const std::string& what, const TomlValue& value, bool sets) {
        const auto* const text = std::get_if<std::string>(&value);
        if (text == nullptr) {
            throw UsageError(
                fmt::format("{} must be a fault, such as 'kill rank 1 at 1.5s', not {}", what, describe(value)));
        }
        std::vector<faults::Injection> all;
        for (const std::string& one : split(*text, ';')) {
            all.push_back(injection_of_text(what, one));
        }
        if (sets) {
            faults = std::move(all);
        }
    };
    OptionRow row{"fault", "TEXT",
                  "'kill rank 1 at 1.5s', 'slow rank 2 x2.5 from 1s to 4s', 'drop nic 3 at 2s', …: a fault to "
                  "inject, in simulated time (repeatable)",
                  Custom{take}};
    row.repeats = true;
    return row;
}

void check_faults(const std::vector<faults::Injection>& faults, int ranks, const Network& network) {
    for (const faults::Injection& one : faults) {
        try {
            const faults::Conditions possible({&one, 1}, ranks, network);
        } catch (const ProgramError& error) {
            throw UsageError(fmt::format("--fault '{}': {}", to_text(one), error.what()));
        }
    }
}

}  // namespace sim::config
