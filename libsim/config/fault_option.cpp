#include "libsim/config/fault_option.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/error.hpp"
#include "libsim/faults/conditions.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>

namespace sim::config {

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
