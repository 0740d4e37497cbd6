#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "tools/labs/lab.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::labs {

const char* name_of(Aspect aspect) {
    switch (aspect) {
        case Aspect::ran: return "runs";
        case Aspect::data: return "data";
        case Aspect::time: return "time";
        case Aspect::bytes: return "bytes";
        case Aspect::memory: return "memory";
        case Aspect::order: return "order";
    }
    return "";
}

std::span<const Lab> course() {
    static const std::vector<Lab> labs = all_labs();
    return labs;
}

const Lab& lab_named(const std::string& name) {
    std::vector<std::string> known;
    for (const Lab& lab : course()) {
        if (name == lab.folder || name == std::to_string(lab.number) || name == fmt::format("{:02}", lab.number)) {
            return lab;
        }
        known.emplace_back(lab.folder);
    }
    throw config::UsageError(fmt::format("there is no lab \"{}\"{}; ndsim lab list shows all", config::shortened(name),
                                         did_you_mean(name, known)));
}

}  // namespace sim::labs
