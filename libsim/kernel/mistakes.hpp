// The mistakes that the kernel finds in a rank program: of all, the first in simulated time is kept.
//
// What made a mistake never goes on: the rank or the stream whose op it was, a receive whose message does not fit, the
// members of a collective that wait in it. All others go on until none can, as in a deadlock. Who stops, and where,
// depends on the program alone, so every order of replay finds the same mistakes (docs/why.md).
#pragma once

#include "libsim/units.hpp"

#include <compare>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace sim::kernel {

struct MistakePlace {
    Time at;
    int rank = -1;
    std::uint32_t op_number = 0;

    auto operator<=>(const MistakePlace&) const = default;
};

struct FoundMistake {
    MistakePlace place;
    std::exception_ptr error;  // a ProgramError
};

class Mistakes {
public:
    bool any() const { return first_.has_value(); }
    const std::optional<FoundMistake>& first() const { return first_; }

    void note(const MistakePlace& place, std::exception_ptr error) {
        if (!first_ || place < first_->place) {
            first_ = FoundMistake{place, std::move(error)};
        }
    }

private:
    std::optional<FoundMistake> first_;
};

}  // namespace sim::kernel
