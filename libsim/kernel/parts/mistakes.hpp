// This record keeps the first mistake in simulated time that the kernel finds in a rank program.
//
// Whatever made the mistake never goes on: the rank or stream whose op it was, a receive whose message does not fit,
// the members that wait in a wrong collective. All others go on until none can, as in a deadlock. Which ranks stop, and
// where, depends only on the program, so every order of replay finds the same mistakes (docs/why.md).
#pragma once

#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/streams.hpp"
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

    // Whether a message is the one that its receive, posted at `posted`, expects; if not, notes a mistake.
    bool fits(int target, NumberedOp receive, Time posted, const Message& message) {
        const Op& op = receive.op;
        return (op.amount == message.amount && op.measure == message.measure && op.bytes == message.bytes) ||
               fits_or_is_noted(target, receive, posted, message);
    }

private:
    bool fits_or_is_noted(int target, NumberedOp receive, Time posted, const Message& message);

    std::optional<FoundMistake> first_;
};

}  // namespace sim::kernel
